"""Report a deployment."""

import nightbell

client = nightbell.init()

# #region change
client.record_change("Deploy 2026.11.3", kind="deployment", version="2026.11.3", author="ada")
# #endregion
