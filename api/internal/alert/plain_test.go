package alert

import "testing"

func TestAlertsAreMadePlain(t *testing.T) {
	sent := Received{
		Key: "k\u200b", Group: "g\x1b", Title: "Disk\x1b[31m full\r\nBcc: x", GroupTitle: "=?utf-8?q?x?=", Source: "prometheus",
		Description: "one\ntwo\u202e", Labels: map[string]string{"host": "db\u200b1", "sev\u200berity": "high", "plain": "yes"},
		Annotations: map[string]string{"summary": "\x07bell"},
	}
	got := Batch{Alerts: []Received{sent}}.Plain().Alerts[0]
	for what, pair := range map[string][2]string{
		"title": {got.Title, "Disk[31m full Bcc: x"}, "group title": {got.GroupTitle, "= ?utf-8?q?x?="},
		"description": {got.Description, "one\ntwo"}, "label": {got.Labels["host"], "db1"}, "label's name": {got.Labels["severity"], "high"},
		"another label": {got.Labels["plain"], "yes"}, "annotation": {got.Annotations["summary"], "bell"},
		"the key, which is only compared": {got.Key, "k\u200b"}, "the group, which is only compared": {got.Group, "g\x1b"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
	if len(got.Labels) != 3 {
		t.Errorf("labels %q", got.Labels)
	}
}
