"""What each page and its twin show, read once for both: functions from a `Reading` and a filter to plain facts."""
