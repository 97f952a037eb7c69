//go:build rlsonly

package postgres

import (
	"context"

	"github.com/google/uuid"
)

type orgSettingKey struct{}

// WithOrgSetting makes every tenant transaction of ctx run under this organization's setting, whichever is asked for: a
// test can see row-level security hold without the queries' own conditions. No release is built with the tag rlsonly.
func WithOrgSetting(ctx context.Context, orgID uuid.UUID) context.Context {
	return context.WithValue(ctx, orgSettingKey{}, orgID)
}

func orgSetting(ctx context.Context, asked uuid.UUID) uuid.UUID {
	if other, ok := ctx.Value(orgSettingKey{}).(uuid.UUID); ok {
		return other
	}
	return asked
}
