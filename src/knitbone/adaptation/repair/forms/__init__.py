"""An answer written in the form that its prompt shows.

A model that gives the right values in another layout (``The weight is 24,800 kg, pickup at
11:20``, where the prompt says ``Answer like this: 1250|16:45``) has said all that the code needs.
The form is read from the prompt (``shown.py``), the values from the answer (``values.py``,
``named.py``), and whether the two belong together is asked of the application's own code, which is
rehearsed (``filling.py``).

Source: Comfrey §4.3.1 (template discrepancies).
"""

from knitbone.adaptation.repair.forms.filling import find_formed_answer

__all__ = ["find_formed_answer"]
