package cache

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden store")

// golden is one index of testdata/golden: what both readers, this one and Python's, must say of it.
type golden struct {
	Name   string `json:"name"`
	Index  string `json:"index"`
	Reason string `json:"reason"` // part of the miss's reason; empty: a hit
}

// TestGolden reads the store of testdata/golden, whose paths are relative to testdata: tests/test_cache.py reads the
// same, so that the two readers cannot drift apart.
func TestGolden(t *testing.T) {
	t.Chdir("testdata")
	if *update {
		writeGolden(t)
	}
	root := filepath.Join(t.TempDir(), "golden") // who may write a checkout is not our affair
	require.NoError(t, os.CopyFS(root, os.DirFS("golden")))
	data, err := os.ReadFile("golden/cases.json")
	require.NoError(t, err)
	var cases []golden
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		_, err := open(t, root).Lookup(c.Index)
		if c.Reason == "" {
			require.NoError(t, err, c.Name)
			continue
		}
		require.True(t, IsMiss(err), "%s: %v", c.Name, err)
		require.ErrorContains(t, err, c.Reason, c.Name)
	}
}

// writeGolden makes the store anew.
func writeGolden(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	var cases []golden
	add := func(name, reason string, change func(e *Entry), damage func(e *Entry)) {
		lines := []string{"opweld-key 2", Line("version", name)}
		header := File{Path: "late/x.h", Size: 12, SHA256: Digest([]byte("#define X 1\n"))}
		e := &Entry{Key: Key(lines), Files: []File{header}, Absent: []Absent{{Folder: "early", Paths: []string{"x.h"}}},
			KeyLines: lines, Argv: []string{"cc", "opweld.c"}}
		if change != nil {
			change(e)
		}
		e, err := s.Publish(*e, []byte("module of "+name), []byte("/* source of "+name+" */\n"), nil)
		require.NoError(t, err)
		c := golden{Name: name, Index: Key([]string{"index", name}), Reason: reason}
		require.NoError(t, s.Point(e.Key, Pointer{Name: c.Index}))
		if damage != nil {
			damage(e)
		}
		cases = append(cases, c)
	}
	warning := `[{"severity":"warning","op":"Twice","hook":"c_code","file":"Twice.c_code","line":2,"exact":false,` +
		`"fragment_line":2,"column":5,"message":"unused variable 'é'","text":"int é;","option":"-Wunused-variable"}]`
	add("plain", "", nil, nil)
	add("with a warning", "", func(e *Entry) { e.Warnings = json.RawMessage(warning) }, nil)
	add("a folder that is gone", "", func(e *Entry) { e.Absent[0].Folder = "never" }, nil)
	add("nothing absent", "", func(e *Entry) { e.Absent = nil }, nil)
	add("another header", "late/x.h has changed", func(e *Entry) { e.Files[0].SHA256 = Digest(nil) }, nil)
	add("a longer header", "late/x.h has changed", func(e *Entry) { e.Files[0].Size = 13 }, nil)
	add("no header", "late/z.h cannot be read", func(e *Entry) { e.Files[0].Path = "late/z.h" }, nil)
	add("an earlier header", "early/y.h has appeared", func(e *Entry) { e.Absent[0].Paths = []string{"x.h", "y.h"} }, nil)
	tool := func(path, text string) File {
		return File{Path: path, Size: int64(len(text)), SHA256: Digest([]byte(text))}
	}
	add("a compiler", "", func(e *Entry) { e.Tools = []File{tool("late/x.h", "#define X 1\n")} }, nil)
	add("a compiler that is gone", "", func(e *Entry) { e.Tools = []File{tool("late/cc1", "gone")} }, nil)
	add("another compiler", "late/x.h has changed", func(e *Entry) { e.Tools = []File{tool("late/x.h", "#define X 2\n")} }, nil)
	add("a program that is on no PATH", "", func(e *Entry) { e.Found = []Found{{"as-of-nobody", "/late/as"}} }, nil)
	add("another processor", "is for another processor", func(e *Entry) { e.CPU = Digest([]byte("a processor")) }, nil)
	add("no files", "names no files", func(e *Entry) { e.Files = []File{} }, nil)
	add("a damaged module", "is damaged", nil, func(e *Entry) {
		require.NoError(t, os.WriteFile(s.Path(e.Module), []byte("MODULE of a damaged module"), 0o666))
	})
	add("a damaged entry", "is damaged or of another format", nil, func(e *Entry) {
		path := s.Path(sharded("entry", e.Key))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		require.NoError(t, os.WriteFile(path, data, 0o666))
	})
	add("another's entry", "is another's", nil, func(e *Entry) {
		rel := sharded("entry", e.Key)
		e.Key = Key([]string{"other"})
		require.NoError(t, s.write(rel, e))
	})
	add("a module elsewhere", "is not a path of", nil, func(e *Entry) {
		e.Module = "module/../../../evil.so"
		require.NoError(t, s.write(sharded("entry", e.Key), e))
	})
	swap := func(name, reason, one, two string) { // of two entries that are whole
		add(name, reason, nil, nil)
		here := cases[len(cases)-1]
		add("the other of "+name, reason, nil, nil)
		there := cases[len(cases)-1]
		exchange(t, s.place(t, here.Index, one), s.place(t, there.Index, two))
	}
	swap("two indexes", "is another's: it says it is index/", "index", "index")
	swap("two entries", "is another's: it says it is entry/", "entry", "entry")
	swap("two modules", "is damaged", "module", "module")
	swap("an index and an entry", "is another's: it says it is ", "index", "entry")
	short := func(name, field string) { // what an entry must have
		add(name, "", nil, func(e *Entry) {
			fields := map[string]any{}
			require.NoError(t, s.read(sharded("entry", e.Key), &fields))
			delete(fields, field)
			require.NoError(t, s.write(sharded("entry", e.Key), fields))
		})
		cases[len(cases)-1].Reason = " "
	}
	for _, field := range []string{"tools", "found", "absent", "files"} {
		short("an entry without "+field, field)
	}
	data, err := json.MarshalIndent(cases, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll("golden"))
	require.NoError(t, os.CopyFS("golden", os.DirFS(root)))
	require.NoError(t, os.WriteFile("golden/cases.json", append(data, '\n'), 0o666))
}

// place is the path of a file of a kind that an index leads to.
func (s *Store) place(t *testing.T, name, kind string) string {
	t.Helper()
	var ix index
	require.NoError(t, s.read(sharded("index", name), &ix))
	e, err := s.Get(ix.Key)
	require.NoError(t, err)
	return s.Path(map[string]string{"index": sharded("index", name), "entry": sharded("entry", ix.Key), "module": e.Module,
		"source": e.Source}[kind])
}

// exchange swaps two files, each with its time.
func exchange(t *testing.T, one, two string) {
	t.Helper()
	require.NoError(t, os.Rename(one, one+"~"))
	require.NoError(t, os.Rename(two, one))
	require.NoError(t, os.Rename(one+"~", two))
}
