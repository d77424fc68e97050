"""Tools of the support desk."""

import hashlib


def add(a: float, b: float) -> float:
    """Add two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


def invoice_total(amounts: list[float], vat_percent: float) -> str:
    """Add up the positions of an invoice and its value added tax.

    Args:
        amounts: Net amounts in EUR.
        vat_percent: Rate of the tax, such as 19.
    """
    if vat_percent < 0:
        raise ValueError("a tax rate cannot be negative")
    net = sum(amounts)
    vat = net * vat_percent / 100
    return f"net {net:.2f} EUR, VAT {vat:.2f} EUR, total {net + vat:.2f} EUR"


def open_ticket(summary: str) -> str:
    """Open a ticket for a person and return its number.

    Args:
        summary: The case in a few sentences.
    """
    if not summary.strip():
        raise ValueError("a ticket needs a summary")
    return f"T-{hashlib.sha256(summary.encode()).hexdigest()[:6].upper()}"
