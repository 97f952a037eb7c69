"""Say that a job starts and how it ended."""

import nightbell

client = nightbell.init()


# #region job
@client.job("nightly-backup", schedule="0 3 * * *", time_zone="Europe/Berlin", max_runtime=1800)
def backup() -> None:
    """Back up."""


backup()
# #endregion
