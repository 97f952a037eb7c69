package app

import (
	"strings"
	"testing"
)

// TestMistakesInTheConfigurationAreNamed: the variable and what is expected, never a secret.
func TestMistakesInTheConfigurationAreNamed(t *testing.T) {
	sound := Config{Listen: "127.0.0.1:8480", SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@example.com>", DataDir: t.TempDir()}
	if _, err := sound.check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spoil    func(*Config)
		variable string
	}{
		{func(c *Config) { c.Listen = "127.0.0.1:99999" }, "NIGHTBELL_LISTEN"},
		{func(c *Config) { c.Listen = "127.0.0.1:-1" }, "NIGHTBELL_LISTEN"},
		{func(c *Config) { c.PublicURL = "https://nightbell.example.com?a=1" }, "NIGHTBELL_PUBLIC_URL"},
		{func(c *Config) { c.PublicURL = "https://nightbell.example.com/#top" }, "NIGHTBELL_PUBLIC_URL"},
		{func(c *Config) { c.PublicURL = "https://nightbell.example.com:99999" }, "NIGHTBELL_PUBLIC_URL"},
		{func(c *Config) { c.DatabaseURL = "postgres://u:s3cr3t@db:99999/x" }, "DATABASE_URL"},
		{func(c *Config) { c.SMTPHost = "mail.example.com:587" }, "NIGHTBELL_SMTP_HOST"},
		{func(c *Config) { c.SMTPHost = "https://mail.example.com" }, "NIGHTBELL_SMTP_HOST"},
		{func(c *Config) { c.CompanyName = strings.Repeat("n", 101) }, "NIGHTBELL_COMPANY_NAME"},
		{func(c *Config) { c.CompanyName = "Acme\u202e" }, "NIGHTBELL_COMPANY_NAME"},
		{func(c *Config) { c.PostalAddress = "1;2;3;4;5;6;7" }, "NIGHTBELL_POSTAL_ADDRESS"},
		{func(c *Config) { c.PostalAddress = "Street\x00 1" }, "NIGHTBELL_POSTAL_ADDRESS"},
		{func(c *Config) { c.SalesEmail = "sales@example.com, other@example.com" }, "NIGHTBELL_SALES_EMAIL"},
		{func(c *Config) { c.SalesEmail = "a%0ab?bcc=x@example.com" }, "NIGHTBELL_SALES_EMAIL"},
		{func(c *Config) { c.SupportEmail = "nobody" }, "NIGHTBELL_SUPPORT_EMAIL"},
		{func(c *Config) { c.DatabaseURL = "mysql://u:s3cr3t@db/x" }, "DATABASE_URL"},
	} {
		spoiled := sound
		c.spoil(&spoiled)
		_, err := spoiled.check()
		if err == nil || !strings.HasPrefix(err.Error(), c.variable+": ") || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", c.variable, err)
		}
	}
}

func TestAWeakDemoPasswordIsRefused(t *testing.T) {
	for password, fits := range map[string]bool{"demo": false, "password1234": false, "velvet-otter-lamp-42": true} {
		t.Setenv(demoPasswordVariable, password)
		_, err := demoPassword(t.TempDir())
		if (err == nil) != fits || (err != nil && !strings.HasPrefix(err.Error(), demoPasswordVariable+": ")) {
			t.Errorf("%q: %v", password, err)
		}
	}
}
