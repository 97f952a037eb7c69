package departure_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func deleteAccount(t *testing.T, w *pagingtest.Workspace, who uuid.UUID, replaceBy map[uuid.UUID]uuid.UUID) error {
	t.Helper()
	return w.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = departure.DeleteAccount(ctx, tx, who, replaceBy, now)
		return err
	})
}

// Names are people's own: none of them may break the history that it stands in, or keep its account.
func TestWhateverTheNameHistoryForgetsItAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"1", ",", "true", "name", "critical", "owner", `Rosa "R" Quill`, `back\slash`, "D. (SRE) [x]", "Ada", "Bo"} {
		w := pagingtest.New(t)
		w.Clock.Freeze(friday)
		w.Exec(t, `UPDATE users SET name = $2 WHERE id = $1`, w.Bob, name)
		w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Bob)))
		w.Accept(t, pagingtest.Firing("cpu", "", friday))
		w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, actor_id, actor_name, message, data, at)
			SELECT $1::uuid, gen_random_uuid(), id, 'assigned', 'user', $2::uuid, $3, 'Assigned to ' || $3::text || '.', jsonb_build_object('assignee_name', $3::text, 'count', 1, 'on', true), nightbell_now() FROM incident
			UNION ALL SELECT $1::uuid, gen_random_uuid(), id, 'comment', 'user', $4::uuid, 'Ada', 'Ask ' || $3::text || 'bert', '{}', nightbell_now() FROM incident`, w.Org, w.Bob, name, w.Ada)
		if err := deleteAccount(t, w, w.Bob, map[uuid.UUID]uuid.UUID{w.Org: w.Ada}); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		equal(t, name+": who did it", w.Texts(t, `SELECT actor_name || ': ' || message || ' ' || (data->>'assignee_name') FROM timeline_event WHERE org_id = $1 AND kind = 'assigned' AND actor_id = $2`, w.Org, w.Bob),
			"Deleted user: Assigned to Deleted user. Deleted user")
		equal(t, name+": comments of others", w.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'comment'`, w.Org), "Ask "+name+"bert")
		equal(t, name+": who is paged now", pages(t, w), "0 Ada")
	}
}

// Ada is gone; what history says of Ada Lovelace, and of how bad it was, is not about her.
func TestHistoryForgetsNobodyElseAndNoWordOfItsOwn(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	lovelace := w.AddPerson(t, "Ann Bell")
	said := func(name, sentence string) string {
		w.Exec(t, `UPDATE users SET name = $2 WHERE id = $1`, w.Bob, name)
		w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, data, at)
			SELECT $1, gen_random_uuid(), id, 'said', 'system', $2, jsonb_build_object('user_name', $2::text, 'severity', 'critical', 'to', 'Bell', 'user_id', $3::uuid), nightbell_now() FROM incident`, w.Org, sentence, w.Bob)
		if err := deleteAccount(t, w, w.Bob, map[uuid.UUID]uuid.UUID{w.Org: w.Ada}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		return pgtest.One[string](t, w.Database, `SELECT message || ' ' || (data - 'user_id')::text FROM timeline_event WHERE org_id = $1 AND kind = 'said'`, w.Org)
	}
	w.SetSteps(t, pagingtest.Page(pagingtest.User(lovelace)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.Exec(t, `UPDATE contact_method SET hint = 'bell@example.com', address = 'bell@example.com', name = 'Phone of Bell' WHERE user_id = $1`, w.Bob)
	got := said("Bell", "Bell, Ann Bell and Bell Lowe were paged by e-mail (bell@example.com, campbell@example.com)")
	want := "Deleted user, Ann Bell and Deleted user Lowe were paged by e-mail (Deleted user, campbell@example.com)"
	equal(t, "a name within another's, and addresses", []string{got}, want+` {"to": "Bell", "severity": "critical", "user_name": "`+want+`"}`)
}

// What is shown of an address goes, too, where the page was to the person: another's may look the same.
func TestHistoryForgetsAddressesAsTheyAreShown(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Ada)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.Exec(t, `UPDATE contact_method SET hint = 'bob.quill@example.com', address = 'bob.quill@example.com' WHERE user_id = $1`, w.Bob)
	w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, data, at)
		SELECT $1, gen_random_uuid(), id, 'said', 'system', 'Paged by e-mail (b…@example.com)', jsonb_build_object('user_id', whom::text, 'contact_hint', 'b…@example.com'), nightbell_now()
		FROM incident, unnest($2::uuid[]) whom`, w.Org, []uuid.UUID{w.Ada, w.Bob})
	if err := deleteAccount(t, w, w.Bob, map[uuid.UUID]uuid.UUID{w.Org: w.Ada}); err != nil {
		t.Fatal(err)
	}
	equal(t, "history", w.Texts(t, `SELECT message || ' ' || (data->>'contact_hint') FROM timeline_event WHERE org_id = $1 AND kind = 'said' ORDER BY message`, w.Org),
		"Paged by e-mail (Deleted user) Deleted user", "Paged by e-mail (b…@example.com) b…@example.com")
}

// A viewer may be called as Nightbell's own words are: pages to others go on meaning what they meant.
func TestANameThatIsAWordOfOursChangesNoPageOfOthers(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	w.Exec(t, `UPDATE users SET name = 'owner' WHERE id = $1`, w.Bob)
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Ada)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner", "sentence": "Owner of the workspace, because an owner is asked last."}' WHERE org_id = $1`, w.Org)
	before := w.Texts(t, `SELECT why::text || reason FROM notification WHERE org_id = $1 ORDER BY id`, w.Org)
	if err := deleteAccount(t, w, w.Bob, nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "the pages", w.Texts(t, `SELECT why::text || reason FROM notification WHERE org_id = $1 ORDER BY id`, w.Org), before...)
}

func TestTheOnlyOwnerOfOthersKeepsTheAccount(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	if err := deleteAccount(t, w, w.Ada, map[uuid.UUID]uuid.UUID{w.Org: w.Bob}); code(err) != "last_owner" {
		t.Fatalf("the only owner: %v", err)
	}
	w.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, w.Bob)
	if err := deleteAccount(t, w, w.Ada, nil); code(err) != "user_has_duties" {
		t.Fatalf("nobody replaces them: %v", err)
	}
	if err := deleteAccount(t, w, w.Ada, map[uuid.UUID]uuid.UUID{w.Org: w.Bob}); err != nil {
		t.Fatal(err)
	}
	// Bob is alone now: the organization goes with the account.
	if err := deleteAccount(t, w, w.Bob, nil); err != nil {
		t.Fatal(err)
	}
	if left := pgtest.One[int](t, w.Database, `SELECT (SELECT count(*) FROM org WHERE id = $1) + (SELECT count(*) FROM users WHERE id IN ($2, $3))`, w.Org, w.Ada, w.Bob); left != 0 {
		t.Errorf("%d rows are left", left)
	}
}

// Whoever calls themselves a phrase of others takes it out of nobody's lines when they go: only out of what
// they did, or what was done to them, and never out of what somebody typed.
func TestANameThatOthersUseTakesNothingOutOfTheirLines(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	w.Exec(t, `UPDATE users SET name = 'Card reader' WHERE id = $1`, w.Bob)
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Ada)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.Exec(t, `UPDATE notification SET reason = 'On call for Card reader; step 1.', why = why || '{"sentence": "On call for Card reader; step 1."}' WHERE org_id = $1`, w.Org)
	w.Exec(t, `DELETE FROM timeline_event WHERE org_id = $1`, w.Org)
	w.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, actor_id, actor_name, message, data, at)
		SELECT $1, gen_random_uuid(), i.id, line.kind, line.actor_kind, line.actor_id, 'Somebody', line.message, line.data, nightbell_now() FROM incident i, (VALUES
			('acknowledged', 'user', $2::uuid, 'a: Card reader is down, I fix it', '{}'::jsonb),
			('resolved', 'user', $3::uuid, 'b: Card reader replaced', '{}'),
			('merged', 'user', $3, 'c: Merged #1 into it: Card reader lost', '{}'),
			('declared', 'system', NULL, 'd: Declared from an alert of Card reader.', '{}'),
			('paged', 'system', NULL, 'e: Ada was paged for Card reader', jsonb_build_object('user_id', $2::text, 'sentence', 'for Card reader')),
			('paged', 'system', NULL, 'f: Card reader was paged', jsonb_build_object('user_id', $3::text, 'user_name', 'Card reader')),
			('declared', 'user', $3, 'g: Declared by Card reader.', '{}'),
			('ack_timeout', 'system', NULL, 'h: Acknowledged by Card reader', jsonb_build_object('acknowledged_by_id', $3::text))
		) line (kind, actor_kind, actor_id, message, data)`, w.Org, w.Ada, w.Bob)
	if err := deleteAccount(t, w, w.Bob, nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "history", w.Texts(t, `SELECT message || coalesce(' ' || (data->>'sentence'), '') || coalesce(' ' || (data->>'user_name'), '') || ' ' || actor_name FROM timeline_event WHERE org_id = $1 AND message ~ '^.: ' ORDER BY message`, w.Org),
		"a: Card reader is down, I fix it Somebody", "b: Card reader replaced Deleted user", "c: Merged #1 into it: Card reader lost Deleted user",
		"d: Declared from an alert of Card reader. Somebody", "e: Ada was paged for Card reader for Card reader Somebody",
		"f: Deleted user was paged Deleted user Somebody", "g: Declared by Deleted user. Deleted user", "h: Acknowledged by Deleted user Somebody")
	equal(t, "the page to Ada", w.Texts(t, `SELECT reason || ' ' || (why->>'sentence') FROM notification WHERE org_id = $1`, w.Org), "On call for Card reader; step 1. On call for Card reader; step 1.")
}
