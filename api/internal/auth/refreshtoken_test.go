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
	first, at := NewRefreshToken(), time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	second := successors.Of(first, at)
	switch {
	case len(first) != len("nbr_")+43 || len(second) != len(first):
		t.Errorf("tokens of %d and %d characters", len(first), len(second))
	case second == first || second != successors.Of(first, at):
		t.Error("a use has one successor, and it is another token")
	case second == successors.Of(first, at.Add(time.Microsecond)):
		t.Error("another use has another successor")
	case other.Of(first, at) == second:
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
		next    SuccessorState
		want    RefreshVerdict
	}{
		{"first use", fresh, 0, NoSuccessor, Rotate},
		{"a second tab", fresh, time.Millisecond, UnusedSuccessor, Repeat},
		{"a second tab, late", fresh, RefreshGrace, UsedSuccessor, Repeat},
		{"a lost answer", fresh, RefreshGrace + time.Millisecond, UnusedSuccessor, Replace},
		{"a lost answer, days later", fresh, 5 * day, UnusedSuccessor, Replace},
		{"a copy", fresh, RefreshGrace + time.Millisecond, UsedSuccessor, Reuse},
		{"a copy, days later", fresh, 5 * day, UsedSuccessor, Reuse},
		{"a replaced one", fresh, time.Millisecond, NoSuccessor, Reuse},
		{"signed out", revoked, 0, NoSuccessor, SignInNew},
		{"signed out, and a repeat", revoked, time.Second, UnusedSuccessor, SignInNew},
		{"idle for 30 days", Session{CreatedAt: now.Add(-40 * day), LastUsedAt: now.Add(-30 * day)}, 0, NoSuccessor, SignInNew},
		{"idle for almost 30 days", Session{CreatedAt: now.Add(-40 * day), LastUsedAt: now.Add(-30*day + time.Second)}, 0, NoSuccessor, Rotate},
		{"90 days old", Session{CreatedAt: now.Add(-90 * day), LastUsedAt: now.Add(-time.Hour)}, 0, NoSuccessor, SignInNew},
		{"almost 90 days old", Session{CreatedAt: now.Add(-90*day + time.Second), LastUsedAt: now}, 0, NoSuccessor, Rotate},
		{"a lost answer of an old session", Session{CreatedAt: now.Add(-90 * day), LastUsedAt: now}, time.Hour, UnusedSuccessor, SignInNew},
		{"reuse of an old session", Session{CreatedAt: now.Add(-90 * day), LastUsedAt: now}, time.Hour, UsedSuccessor, Reuse},
	} {
		use := TokenUse{Successor: c.next}
		if c.usedAgo > 0 {
			use.UsedAt = now.Add(-c.usedAgo)
		}
		if got := JudgeRefresh(c.session, use, now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
