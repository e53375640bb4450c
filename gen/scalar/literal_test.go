package scalar

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIntegerLiteralsEndWhereTheDTypeDoes(t *testing.T) {
	for _, bits := range []uint{8, 16, 32, 64} {
		for _, signed := range []bool{true, false} {
			high := new(big.Int).Lsh(big.NewInt(1), bits)
			low := big.NewInt(0)
			name := fmt.Sprintf("uint%d", bits)
			if signed {
				name = name[1:]
				high.Rsh(high, 1)
				low.Neg(high)
			}
			typ := mustBe(t, name)
			below, last := new(big.Int).Sub(low, big.NewInt(1)), new(big.Int).Sub(high, big.NewInt(1))
			for _, n := range []*big.Int{low, last, big.NewInt(0), big.NewInt(1)} {
				c, err := Literal(typ, n.String())
				require.NoError(t, err, "%s %s", name, n)
				assert.Contains(t, c.Text, "(("+typ.Value+")", "%s", n)
				assert.Empty(t, c.Helpers)
			}
			for _, n := range []*big.Int{below, high, new(big.Int).Lsh(high, 70), new(big.Int).Neg(new(big.Int).Lsh(high, 1))} {
				_, err := Literal(typ, n.String())
				assert.EqualError(t, err, fmt.Sprintf("%q is no constant of dtype %s", n.String(), name))
			}
		}
	}
}

func TestLiterals(t *testing.T) {
	for _, c := range []struct{ dtype, text, want string }{
		{"bool", "true", "((npy_bool)1)"},
		{"bool", "false", "((npy_bool)0)"},
		{"int8", "-128", "((npy_int8)-128LL)"},
		{"int64", "-9223372036854775808", "((npy_int64)(-9223372036854775807LL - 1))"},
		{"int64", "9223372036854775807", "((npy_int64)9223372036854775807LL)"},
		{"uint64", "18446744073709551615", "((npy_uint64)18446744073709551615ULL)"},
		{"int32", "010", "((npy_int32)10LL)"},
		{"uint8", "-0", "((npy_uint8)0ULL)"},
		{"float64", "1", "((double)1.0)"},
		{"float64", "-0", "((double)-0.0)"},
		{"float64", "-0.0", "((double)-0.0)"},
		{"float64", "1e-05", "((double)1e-05)"},
		{"float64", "5e-324", "((double)5e-324)"},
		{"float64", "1.7976931348623157e+308", "((double)1.7976931348623157e+308)"},
		{"float64", "inf", "((double)INFINITY)"},
		{"float64", "-inf", "(-(double)INFINITY)"},
		{"float64", "nan", "((double)NAN)"},
		{"float64", "0x1.999999999999ap-4", "((double)0x1.999999999999ap-4)"},
		{"float64", "-0x0.0p+0", "((double)-0x0.0p+0)"},
		{"float32", "0.5", "((float)0.5)"},
		{"longdouble", "18446744073709551615", "((npy_longdouble)18446744073709551615.0L)"},
		{"longdouble", "0x1.8p+1", "((npy_longdouble)3.000000000000000000000000000000000000e+00L)"},
		{"longdouble", "0x1.199999999999999ap+0", "((npy_longdouble)1.100000000000000000021684043449710089e+00L)"},
		{"longdouble", "-0x1.0p-16445", "((npy_longdouble)-3.645199531882474602528405933619419816e-4951L)"},
		{"longdouble", "0x1.fffffffffffffffep+16383", "((npy_longdouble)1.189731495357231765021263853030970205e+4932L)"},
		{"longdouble", "0.1", "((npy_longdouble)0.1)"},
		{"float64", "0x1.8p+1", "((double)0x1.8p+1)"},
		{"float16", "1.5", "opw_half_round(((float)1.5))"},
		{"complex64", "1.5 -inf", "opw_make_c64(((float)1.5), (-(float)INFINITY))"},
		{"complex128", "nan -0.0", "opw_make_c128(((double)NAN), ((double)-0.0))"},
		{"clongdouble", "1 2", "opw_make_cl(((long double)1.0L), ((long double)2.0L))"},
	} {
		got, err := Literal(mustBe(t, c.dtype), c.text)
		require.NoError(t, err, "%s %s", c.dtype, c.text)
		assert.Equal(t, c.want, got.Text)
	}
}

func TestTextsThatAreNoConstants(t *testing.T) {
	wrong := []string{"", " ", "1 ", " 1", "1;", "1)", "0x", "x", "Infinity", "+inf", "INF", "-nan", "1_000", "1L", "1f", "1e", "--1", "1\n", "١",
		"1.5.2", "0x1.8", "0b1", "None", "abort()"}
	for _, dtype := range []string{"bool", "int8", "uint64", "float16", "float32", "float64", "longdouble", "complex64"} {
		for _, text := range wrong {
			_, err := Literal(mustBe(t, dtype), text)
			assert.EqualError(t, err, fmt.Sprintf("%q is no constant of dtype %s", text, dtype))
		}
	}
	for dtype, texts := range map[string][]string{
		"bool":       {"1", "0", "True", "TRUE"},
		"int64":      {"1.0", "true", "inf", "0x10", "1e3", "+1"},
		"float64":    {"true", "1 2", "+1"},
		"complex128": {"1", "1 ", "1  2", "1 2 3", "1+2j", "1,2", "true false", "inf"},
	} {
		for _, text := range texts {
			_, err := Literal(mustBe(t, dtype), text)
			assert.EqualError(t, err, fmt.Sprintf("%q is no constant of dtype %s", text, dtype))
		}
	}
}
