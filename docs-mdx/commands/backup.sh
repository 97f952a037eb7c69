# How a backup is made, and how an installation is made of it again.

#region backup
bin/nightbell backup --data-dir /var/lib/nightbell nightbell-monday.zip
bin/nightbell restore --check nightbell-monday.zip
#endregion

#region key
mkdir /var/lib/nightbell-new
cp -p /var/lib/nightbell/data-key /var/lib/nightbell-new/data-key
#endregion

#region restore
bin/nightbell restore --data-dir /var/lib/nightbell-new nightbell-monday.zip
#endregion

#region look
bin/nightbell serve --data-dir /var/lib/nightbell-new --listen 127.0.0.1:8481
#endregion

#region confirm
bin/nightbell restored confirm --data-dir /var/lib/nightbell-new
#endregion

#region serve
bin/nightbell serve --data-dir /var/lib/nightbell-new
#endregion
