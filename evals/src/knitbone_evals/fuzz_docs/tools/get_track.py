ALBUMS = {
    "Lantern Season": [
        "Opening Lights",
        "Paper Boats",
        "Slow Harbour",
        "The Ferryman",
        "Half a Map",
        "Closing Lights",
    ],
    "Copper Wire": [
        "Static",
        "Long Distance",
        "Switchboard",
        "Night Operator",
        "Dial Tone",
    ],
}


def get_track(album: str, position: int) -> str:
    """Get the title of a track on an album.

    Args:
        album: "Lantern Season" or "Copper Wire"
        position: position of the track on the album

    Returns:
        title of the track
    """
    tracks = ALBUMS[album]
    if not 0 <= position < len(tracks):
        raise IndexError("no such track")
    return tracks[position]
