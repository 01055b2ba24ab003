"""Runs the product on the made-up upstream: its own settings, and a ruleset that knows the made-up people's domains."""

from dataclasses import replace
from pathlib import Path

from jobs.demo.facts import DEMO_SLUG
from jobs.demo.repository import BRANCH
from jobs.demo.upstream import demo_upstream
from jobs.demo_upstream import DemoGitHub
from jobs.runner import utc_now
from jobs.serve import run
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import RepositorySetting, Secret, Settings


def run_demo(settings: Settings) -> int:
    """Make up an upstream, and run the product on it until told to stop; return the exit code."""
    folder = settings.var_folder / "demo"
    with demo_upstream(folder, utc_now()) as github:
        return run(demo_settings(settings, folder, github), ruleset=demo_ruleset(), demo=True)


def demo_settings(settings: Settings, folder: Path, github: DemoGitHub) -> Settings:
    """Return the settings under which the product runs on the made-up upstream and on nothing else."""
    return replace(
        settings,
        var_folder=folder,
        database_url=f"sqlite:///{folder}/tracker.db",
        github_url=github.api_url,
        github_token=Secret("demo-token-that-opens-nothing"),
        github_app_id=None,
        repositories=(RepositorySetting(slug=DEMO_SLUG, mirror=str(github.git_dir.absolute()), ref=BRANCH),),
        mail_key=Secret("a key that keeps nothing secret: nobody here is real"),
        crawl_commits_minutes=1,
        crawl_pulls_minutes=1,
        alerts_minutes=1,
    )


def demo_ruleset() -> Ruleset:
    """Return the shipped rules, by which the made-up people's domains belong to the organisations they stand for."""
    ruleset = load_ruleset(read_rules())
    return replace(
        ruleset,
        organisations=tuple(
            replace(organisation, domains=(*organisation.domains, f"{organisation.name}.example.com"))
            for organisation in ruleset.organisations
        ),
    )
