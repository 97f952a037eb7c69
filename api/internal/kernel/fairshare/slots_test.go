package fairshare_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
)

func TestSlotsCountWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := fairshare.NewSlots[string](3, 2)
		hang := make(chan struct{})
		slots.Begin("a", func() { <-hang })
		slots.Begin("b", func() {})
		synctest.Wait()
		if room := slots.Room(); room.Most != 2 || room.PerOrg != 2 || !slices.Equal(room.Taken, []string{"a"}) {
			t.Errorf("beside one that hangs there is room for %+v", room)
		}
		<-slots.Ended()
		slots.Begin("c", func() {})
		<-slots.Ended()
		close(hang)
		slots.Wait()
		if room := slots.Room(); room.Most != 3 || len(room.Taken) != 0 {
			t.Errorf("after all ended there is room for %+v", room)
		}
	})
}
