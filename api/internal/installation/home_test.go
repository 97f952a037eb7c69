package installation_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/installation"
)

func TestOnlyWhatMovedAltogetherIsACopy(t *testing.T) {
	const production = "https://nightbell.example.com"
	home := installation.Home{Database: "7312/16385", Address: "pg1:5432,pg2:5432/nightbell", Witness: production}
	folder := installation.Home{Database: "9001/16385", Address: "4f2a:/var/lib/nightbell", Witness: "131"}
	for name, c := range map[string]struct {
		home, found installation.Home
		copied      bool
	}{
		"the same":                               {home, home, false},
		"a host was added":                       {home, installation.Home{home.Database, "pg1:5432,pg2:5432,pg3:5432/nightbell", production}, false},
		"the public URL was renamed":             {home, installation.Home{home.Database, home.Address, "https://pages.example.com"}, false},
		"upgraded in place":                      {home, installation.Home{"8455/16385", home.Address, production}, false},
		"a dump restored on the same server":     {home, installation.Home{"7312/20311", "pg1:5432,pg2:5432/copy", production}, true},
		"a dump restored elsewhere":              {home, installation.Home{"8455/16385", "staging:5432/nightbell", "https://staging.example.com"}, true},
		"a dump at the same names, another site": {home, installation.Home{"8455/16385", home.Address, "https://staging.example.com"}, true},
		"a disk snapshot used elsewhere":         {home, installation.Home{home.Database, "staging:5432/nightbell", "https://staging.example.com"}, true},
		"a copied folder on this machine":        {folder, installation.Home{folder.Database, "4f2a:/tmp/try", "977"}, true},
		"a copied folder on another machine":     {folder, installation.Home{folder.Database, "88c1:/var/lib/nightbell", "977"}, true},
		"the volume mounted by another machine":  {folder, installation.Home{folder.Database, "88c1:/var/lib/nightbell", "131"}, false},
		"a file system that renumbers its files": {folder, installation.Home{folder.Database, folder.Address, "5"}, false},
	} {
		if c.home.Same(c.found) == c.copied {
			t.Errorf("%s: a copy should be %v", name, c.copied)
		}
	}
}
