DIRECTORY = {
    "Okafor, Grace": "4417",
    "Lindqvist, Per": "4420",
    "Moreau, Claire": "4388",
    "Tanaka, Yuki": "4391",
    "Bright, Thomas": "4402",
}


def employee_phone(full_name: str) -> str:
    """Look up the internal phone extension of an employee.

    Args:
        full_name: full name of the employee

    Returns:
        four-digit extension
    """
    extension = DIRECTORY.get(full_name)
    if extension is None:
        return "Error: employee not found"
    return extension
