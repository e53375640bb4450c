package gen

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDigestTellsEveryField changes each field of a kernel, however deep, alone: a field that is declared one day and left out of
// what is hashed would have one kernel taken for another.
func TestDigestTellsEveryField(t *testing.T) {
	k := &Kernel{}
	seen := map[string]string{k.digest(): "nothing"}
	change(reflect.ValueOf(k).Elem(), "kernel", func(what string) {
		id := k.digest()
		require.NotContains(t, seen, id, "%s gives the digest of %s", what, seen[id])
		seen[id] = what
	})
	require.Greater(t, len(seen), 60)
}

// change gives v, and then each of its parts, another value than the zero one, calls seen, and takes it back.
func change(v reflect.Value, what string, seen func(what string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			change(v.Field(i), what+"."+v.Type().Field(i).Name, seen)
		}
		return
	case reflect.Array:
		for i := range v.Len() {
			change(v.Index(i), fmt.Sprintf("%s[%d]", what, i), seen)
		}
		return
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		seen(what)
		change(v.Elem(), what, seen)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		seen(what + " of one")
		change(v.Index(0), what+"[0]", seen)
	case reflect.String:
		v.SetString("x")
		seen(what)
	case reflect.Int:
		v.SetInt(7)
		seen(what)
	case reflect.Bool:
		v.SetBool(true)
		seen(what)
	default:
		panic("digest.go knows nothing of a " + v.Kind().String())
	}
	v.SetZero()
}
