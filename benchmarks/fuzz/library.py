def targets():
    return []
