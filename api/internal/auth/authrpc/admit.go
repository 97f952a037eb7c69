package authrpc

import (
	"context"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Admit refuses, before a call is read, whoever will be refused whatever it says: a stranger beyond
// the quota of the network, and who has nothing that could be a token. It asks no database.
func (a *Authenticator) Admit(_ context.Context, call *rpcserver.Call) error {
	if call.Authz.GetPublic() {
		if countsForItself(call.Procedure) {
			return nil
		}
		return a.strangers.count(call.Peer)
	}
	token, err := bearer(call.Header)
	switch {
	case err != nil:
		return err
	case auth.IsAPIKey(token):
		return nil
	case auth.LooksLikeAPIKey(token):
		return errAPIKey
	case auth.IsServiceKey(token):
		return errServiceKey
	}
	_, err = a.tokens.Read(token, a.now())
	return err
}
