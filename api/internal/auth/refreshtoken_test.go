package auth

import (
	"bytes"
	"testing"
	"time"
)

func TestSuccessors(t *testing.T) {
	successors, err := NewSuccessors(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewSuccessors(bytes.Repeat([]byte{8}, SecretSize))
	if err != nil {
		t.Fatal(err)
	}
	first := NewRefreshToken()
	second := successors.Of(first)
	switch {
	case len(first) != len("nbr_")+43 || len(second) != len(first):
		t.Errorf("tokens of %d and %d characters", len(first), len(second))
	case second == first || second != successors.Of(first):
		t.Error("a token has one successor, and it is another token")
	case other.Of(first) == second:
		t.Error("the successor does not depend on the secret")
	case NewRefreshToken() == first:
		t.Error("two random tokens are equal")
	case bytes.Contains(HashToken(first), []byte(first)) || len(HashToken(first)) != 32:
		t.Error("the stored form is not a hash")
	}
}

func TestJudgeRefresh(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	fresh := Session{CreatedAt: now.Add(-day), LastUsedAt: now.Add(-time.Hour)}
	revoked := fresh
	revoked.RevokedAt = now.Add(-time.Minute)
	for _, c := range []struct {
		name    string
		session Session
		usedAgo time.Duration // 0: unused
		want    RefreshVerdict
	}{
		{"first use", fresh, 0, Rotate},
		{"a second tab", fresh, time.Millisecond, Repeat},
		{"the end of the grace", fresh, RefreshGrace, Repeat},
		{"after the grace", fresh, RefreshGrace + time.Millisecond, Reuse},
		{"days later", fresh, 5 * day, Reuse},
		{"signed out", revoked, 0, SignInNew},
		{"signed out, and a repeat", revoked, time.Second, SignInNew},
		{"idle for 30 days", Session{CreatedAt: now.Add(-40 * day), LastUsedAt: now.Add(-30 * day)}, 0, SignInNew},
		{"idle for almost 30 days", Session{CreatedAt: now.Add(-40 * day), LastUsedAt: now.Add(-30*day + time.Second)}, 0, Rotate},
		{"90 days old", Session{CreatedAt: now.Add(-90 * day), LastUsedAt: now.Add(-time.Hour)}, 0, SignInNew},
		{"almost 90 days old", Session{CreatedAt: now.Add(-90*day + time.Second), LastUsedAt: now}, 0, Rotate},
		{"reuse of an old session", Session{CreatedAt: now.Add(-90 * day), LastUsedAt: now}, time.Hour, Reuse},
	} {
		var usedAt time.Time
		if c.usedAgo > 0 {
			usedAt = now.Add(-c.usedAgo)
		}
		if got := JudgeRefresh(c.session, usedAt, now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
