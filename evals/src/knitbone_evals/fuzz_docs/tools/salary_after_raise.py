SALARIES = {
    "E17": 38400.0,
    "E22": 51250.0,
    "E31": 44800.0,
    "E45": 60900.0,
}


def salary_after_raise(employee_id: str, percent: float) -> float:
    """Compute an employee's new annual salary after a raise.

    Args:
        employee_id: one of "E17", "E22", "E31", "E45"
        percent: the raise as a fraction, e.g. 0.03 for a raise of 3 %

    Returns:
        New annual salary in euros, rounded to cents.

    Raises:
        KeyError: unknown employee
    """
    salary = SALARIES[employee_id]
    # since v2 the HR form sends whole percents
    return round(salary * (1 + percent / 100), 2)
