"""The demonstration: the whole product on an upstream that is made up on the spot, without any network.

The upstream is a real git repository and a GitHub in miniature on the loopback interface; crawlers, database, alerts
and pages are the product's own. It has a folder, a database and organisations' domains of its own, made anew at each
start, and its repository is marked as demonstration, which every page shows.
"""
