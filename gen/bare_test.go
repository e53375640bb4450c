package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAsksLibc tells apart what every unit knows from what may be libc's: of a doubt the headers are read.
func TestAsksLibc(t *testing.T) {
	for text, asks := range map[string]bool{
		"const double opw_v2 = opw_v0 + 2.5 * opw_v1;":                                 false,
		"const double opw_v1 = opw_exp_f64_one(opw_v0);":                               false,
		"memcpy(opw_x0, &opw_v1, sizeof(npy_float64));":                                false,
		"OPW_VECTOR void opw_exp_f64(double *, const double *, npy_intp);":             false,
		"if (opw_v0 < 0) return (npy_bool)1;":                                          false,
		"const double opw_v1 = __builtin_inf();":                                       false,
		"const double opw_v1 = sqrt(opw_v0);":                                          true,
		"const npy_bool opw_v1 = isnan(opw_v0) != 0;":                                  true,
		"const double opw_v1 = INFINITY;":                                              true,
		"const float opw_v1 = opw_v0 < NAN ? 0 : opw_v0;":                              true,
		"memset(opw_x0, 0, opw_n);":                                                    true,
		"*(npy_float64 *)(void *)(opw_x1 + opw_k * 8) = opw_v1;":                       false,
		"const double opw_v2 = opw_v0 > opw_v1 || opw_v0 != opw_v0 ? opw_v0 : opw_v1;": false,
	} {
		assert.Equal(t, asks, asksLibc(text), text)
	}
	assert.True(t, LineView{Code: &Fragment{}}.asksLibc())
}
