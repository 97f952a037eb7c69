package checkout_test

import (
	"testing"

	checkout "github.com/nightbell/nightbell/sdk-go/examples/testing"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// #region testing
func TestARefusedCardIsReported(t *testing.T) {
	client, wire := nightbelltest.New(t) // nothing leaves the process

	checkout.Pay(t.Context(), client)

	if _, err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := wire.Incidents(); len(found) != 1 || found[0].Title != "the card was refused" {
		t.Errorf("incidents %+v", found)
	}
}

// #endregion
