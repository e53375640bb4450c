package ccode

// What a text declares, keeps or replaces, read once and closed.

func declarations(text string, cxx bool) ([]Declared, error) {
	f := Read(text, Place{Body: true, Declares: true, CXX: cxx})
	defer f.Close()
	return f.Declarations()
}

func keepsState(text string, cxx bool, before ...string) bool {
	f := Read(text, Place{CXX: cxx})
	defer f.Close()
	return f.KeepsState(before...)
}

func codeKeepsState(text string, cxx bool, before ...string) bool {
	f := Read(text, Place{Body: true, CXX: cxx})
	defer f.Close()
	return f.KeepsState(before...)
}

func replaced(p Place, text string, names []string) map[string]bool {
	f := Read(text, p)
	defer f.Close()
	return f.Replaced(names)
}

func breaches(p Place, text string) []Breach {
	f := Read(text, p)
	defer f.Close()
	return f.Breaches()
}
