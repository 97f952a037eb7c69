// Package installation knows which database belongs to this installation: whose data key
// sealed its secrets, and whether it is a restored copy, which pages nobody until a
// person confirms it.
//
//  1. Claim, at the start: the key must be the one that sealed what is stored, and the
//     database is compared with where it was used last.
//  2. Watch, while it runs: a copy that somebody confirms begins to page.
//  3. Confirm: this is where the database is used from now on. What was due more
//     than an hour before it became a copy is not paged any more.
package installation

// Home is where a database is used. It changes little by little (a host is added, the
// public URL gets a new name); what changes altogether is a copy.
type Home struct {
	// Database is PostgreSQL's own identity: the cluster's system identifier, which a
	// standby shares with its primary, and the database's OID.
	Database string `json:"database"`
	// Address is how the database is reached: hosts and name of DATABASE_URL, or machine
	// and path of the data directory.
	Address string `json:"address"`
	// Witness stays when a database moves: the public URL, or the inode of a file in the
	// data directory, which a copied folder does not share and a mounted volume does.
	Witness string `json:"witness"`
}

// FromBackup is the home of a database that a backup was restored into: no place is.
var FromBackup = Home{Address: "a backup", Witness: "a backup"}

// Same reports whether a database that was used at h is still the original when it is
// found at now. A failover, another replica and an upgrade in place are; a dump that was
// restored elsewhere and a copied data directory are not.
func (h Home) Same(now Home) bool {
	moved, replaced := h.Address != now.Address, h.Witness != now.Witness
	if h.Database == now.Database {
		return !moved || !replaced
	}
	return !moved && !replaced
}
