"""A stock -> the address of the list of sites that it counts, so that every number of sites leads to them. Pure."""

from collections.abc import Mapping

from dashboards.filters import SeriesQuery
from dashboards.parameters import address_with
from tracker.sites import Area, Construct, Territory


def stock_parameters(query: SeriesQuery) -> Mapping[str, str]:
    """Return the parameters of the list of the sites that the stock of a query counts."""
    parameters = {"repository": query.repository}
    if query.territory is not Territory.NEUTRAL:
        parameters["territory"] = query.territory.value
    for name, value in (("vendor", query.vendor), ("area", query.area), ("construct", query.construct)):
        if value is not None:
            parameters[name] = str(value)
    return parameters | ({"names": "yes"} if query.names else {})


def sites_address(
    query: SeriesQuery, *, vendor: str | None = None, area: Area | None = None, construct: Construct | None = None
) -> str | None:
    """Return the address of the sites behind a stock, or behind its part of a vendor, an area or a construct.

    None where the period asked for may end before what was read does: what stood then is not listed.
    """
    if query.until is not None:
        return None
    parts = {"vendor": vendor, "area": area, "construct": construct}
    return address_with("/sites", stock_parameters(query), **{name: value for name, value in parts.items() if value})
