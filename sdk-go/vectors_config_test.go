package nightbell

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"
)

// configOf maps the options of the vectors to those of Go.
func configOf(t *testing.T, args tree) Config {
	t.Helper()
	var c Config
	number := func(v any) int { f, _ := v.(float64); return int(f) }
	milliseconds := func(v any) time.Duration { return time.Duration(number(v)) * time.Millisecond }
	yes := func(v any) bool { b, _ := v.(bool); return b }
	for option, v := range args {
		switch option {
		case "api_key":
			c.APIKey = text(v)
		case "service_key":
			c.ServiceKey = text(v)
		case "base_url":
			c.BaseURL = text(v)
		case "allow_insecure":
			c.AllowInsecure = yes(v)
		case "environment":
			c.Environment = text(v)
		case "timeout_ms":
			c.Timeout = milliseconds(v)
		case "enable_auto_capture":
			c.EnableAutoCapture = Set(yes(v))
		case "debug":
			c.Debug = Set(yes(v))
		case "release":
			c.Release = text(v)
		case "server_name":
			c.ServerName = text(v)
		case "sample_rate":
			f, _ := v.(float64)
			c.SampleRate = Set(f)
		case "max_queue":
			c.MaxQueue = number(v)
		case "flush_timeout_ms":
			c.FlushTimeout = Set(milliseconds(v))
		case "spool_dir":
			c.SpoolDir = text(v)
		case "ca_file":
			c.CAFile = text(v)
		case "max_retries":
			c.MaxRetries = Set(number(v))
		case "disabled":
			c.Disabled = yes(v)
		case "strict":
			c.Strict = yes(v)
		default:
			t.Fatalf("unknown option %s", option)
		}
	}
	return c
}

func effective(s settings) tree {
	optional := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return tree{
		"api_key": optional(s.apiKey), "service_key": optional(s.serviceKey), "base_url": s.baseURL, "environment": s.environment,
		"timeout_ms": s.timeout.Milliseconds(), "enable_auto_capture": s.autoCapture, "debug": s.debug, "release": optional(s.release),
		"server_name": s.serverName, "sample_rate": s.sampleRate, "max_queue": s.maxQueue, "flush_timeout_ms": s.flushTimeout.Milliseconds(),
		"spool_dir": optional(s.spoolDir), "ca_file": optional(s.caFile), "max_retries": s.maxRetries, "disabled": s.disabled, "enabled": s.enabled,
	}
}

func TestVectorsConfig(t *testing.T) {
	var file struct {
		About   string
		Options []tree
		Cases   []struct {
			Description string
			Args        tree
			Env         map[string]string
			HostName    string `json:"host_name"`
			Expect      tree
			Warnings    []string
			Error       *struct{ Option, Code string }
		}
		Masks []struct{ Description, Key, Masked string }
	}
	readVectors(t, "config", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			s, warnings, err := load(configOf(t, c.Args), func(name string) string { return c.Env[name] }, c.HostName)
			var refused *ConfigError
			switch {
			case c.Error != nil && errors.As(err, &refused):
				if refused.Option != c.Error.Option || refused.Code != c.Error.Code {
					t.Errorf("got %s %s, want %+v", refused.Option, refused.Code, c.Error)
				}
			case (c.Error != nil) != (err != nil):
				t.Fatalf("error %v, want %+v", err, c.Error)
			default:
				equalJSON(t, "warnings", append([]string{}, warnings...), append([]string{}, c.Warnings...))
				named(t, effective(s), c.Expect)
			}
		})
	}
	for _, c := range file.Masks {
		if got := mask(c.Key); got != c.Masked {
			t.Errorf("%s: %s, want %s", c.Description, got, c.Masked)
		}
	}
}

func TestVectorsIDs(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description, Kind, Random, Expect string

			TimeMS int64 `json:"time_ms"`
		}
	}
	readVectors(t, "ids", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			var got string
			switch c.Kind {
			case "uuid7":
				random, _ := hex.DecodeString(c.Random)
				got = uuid7(time.UnixMilli(c.TimeMS), [10]byte(random))
			default:
				t.Fatal("unknown kind " + c.Kind)
			}
			if got != c.Expect {
				t.Errorf("%s, want %s", got, c.Expect)
			}
		})
	}
}
