from dashboards.endpoints import Endpoint, endpoints_of


def test_addresses_are_listed_with_their_parameters_and_csv_twins() -> None:
    vendor = {"name": "vendor", "in": "query"}
    paths = {
        "/metrics": {"get": {"description": "Metrics."}},
        "/api/v1/stock": {"get": {"description": "Stock.", "parameters": [vendor]}},
        "/api/v1/stock.csv": {"get": {"description": "Rows.", "parameters": [vendor]}},
        "/api/v1/pulls/{number}": {
            "get": {"description": "One.", "parameters": [{"name": "number", "in": "path"}]},
        },
    }
    assert endpoints_of({"paths": paths}, "/api/v1/") == (
        Endpoint(address="/api/v1/stock", meaning="Stock.", parameters=("vendor",), has_csv=True),
        Endpoint(address="/api/v1/pulls/{number}", meaning="One.", parameters=(), has_csv=False),
    )
