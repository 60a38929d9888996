package main

import "beanfield/conn/hall"

// hosts is a list of names that this server has for browsers.
func hosts(key string, field func(*Config) *[]string) setting[Config] {
	s := texts(key, "names", `a list of names without port, in which * stands for any characters, as "queue.example.org"; [] for none`, field)
	return checked(s, func(c *Config) error { _, err := hall.NewGuard(*field(c), nil); return err })
}

// origins is a list of the origins of pages that may use this server.
func origins(key string, field func(*Config) *[]string) setting[Config] {
	s := texts(key, "origins", `a list of origins, in which * stands for any characters, as "https://example.org" or "http://localhost:*"; `+
		`"null" for files; [] for none`, field)
	return checked(s, func(c *Config) error { _, err := hall.NewGuard(nil, *field(c)); return err })
}

// checked is the same setting, if its value passes a check.
func checked(s setting[Config], check func(*Config) error) setting[Config] {
	set := s.set
	s.set = func(c *Config, v any) error {
		if err := set(c, v); err != nil {
			return err
		}
		return check(c)
	}
	return s
}
