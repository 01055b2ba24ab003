from tests.builders import a_neutral_construct, a_place, a_site, an_entry
from tracker.classify import StockChange, stock_change
from tracker.sites import Construct, Mechanism, Territory

XPU = a_site("torch.xpu.is_available", vendor="intel")
NAME = a_site("cudagraph_pool", construct=Construct.NAME)


def test_what_broadening_lets_in_stands_in_the_stock_and_is_neither_added_nor_removed() -> None:
    entries = [
        an_entry(delta=5),
        an_entry(delta=-3, mechanism=Mechanism.GENERALISED),
        an_entry(delta=-1, mechanism=Mechanism.BROADENED),
        an_entry(site=XPU, delta=2, mechanism=Mechanism.BROADENED),
    ]
    found = stock_change(entries)
    assert found == StockChange(removed=4, added=5, let_in=2, staying=0)
    assert found.net == 3


def test_the_net_is_the_sum_of_every_neutral_entry_whatever_its_mechanism() -> None:
    entries = [
        an_entry(delta=-4, mechanism=mechanism)
        for mechanism in (Mechanism.RELOCATED, Mechanism.DROPPED, Mechanism.RETIRED, Mechanism.EDITED, Mechanism.MOVED)
    ]
    entries += [an_entry(delta=3, mechanism=Mechanism.EDITED), an_entry(delta=4, mechanism=Mechanism.MOVED)]
    found = stock_change(entries)
    assert found == StockChange(removed=12, added=0, let_in=0, staying=-1)
    assert found.net == sum(entry.delta for entry in entries)


def test_vendors_code_neutral_constructs_and_what_stood_there_before_change_no_stock() -> None:
    entries = [
        an_entry(place=a_place(Territory.VENDOR), mechanism=Mechanism.OUTSIDE),
        an_entry(region=Territory.VENDOR_TEST, mechanism=Mechanism.OUTSIDE),
        an_entry(site=a_neutral_construct(), mechanism=Mechanism.OUTSIDE),
        an_entry(delta=7, mechanism=Mechanism.BASELINE),
    ]
    assert stock_change(entries) == StockChange()


def test_identifiers_that_merely_contain_a_vendors_word_can_be_told_apart() -> None:
    entries = [
        an_entry(delta=5),
        an_entry(site=NAME, delta=3),
        an_entry(site=NAME, delta=-1, mechanism=Mechanism.EDITED),
        an_entry(delta=1, mechanism=Mechanism.EDITED),
    ]
    assert stock_change(entries) == StockChange(added=8)
    assert stock_change(entries, only=Construct.NAME) == StockChange(added=3, staying=-1)
