/* Complex numbers, as fragments compute with them. */

#section support_code
#ifndef OPW_COMPLEX
#define OPW_COMPLEX
#ifdef __cplusplus
#include <type_traits>
/* R: the type of the parts. N: NumPy's type, of the same layout. */
template <class R, class N> struct opw_complex {
    R real, imag;

    opw_complex() = default;
    opw_complex(R re, R im = 0) : real(re), imag(im) {}
    opw_complex(const N& z) { memcpy((void*)this, (const void*)&z, sizeof(N)); }
    template <class S, class M, typename std::enable_if<(sizeof(S) <= sizeof(R)), int>::type = 0>
    opw_complex(const opw_complex<S, M>& z) : real(z.real), imag(z.imag) {}
    template <class S, class M, typename std::enable_if<(sizeof(S) > sizeof(R)), int>::type = 0>
    explicit opw_complex(const opw_complex<S, M>& z) : real((R)z.real), imag((R)z.imag) {}
    template <class S, class M> opw_complex& operator=(const opw_complex<S, M>& z)
    {
        real = (R)z.real;
        imag = (R)z.imag;
        return *this;
    }
    operator N() const
    {
        N z;
        memcpy((void*)&z, (const void*)this, sizeof(N));
        return z;
    }

    void set_real(R re) { real = re; }
    void set_imag(R im) { imag = im; }

    opw_complex operator+() const { return *this; }
    opw_complex operator-() const { return opw_complex(-real, -imag); }
    friend opw_complex operator+(const opw_complex& a, const opw_complex& b)
    {
        return opw_complex(a.real + b.real, a.imag + b.imag);
    }
    friend opw_complex operator-(const opw_complex& a, const opw_complex& b)
    {
        return opw_complex(a.real - b.real, a.imag - b.imag);
    }
    friend opw_complex operator*(const opw_complex& a, const opw_complex& b)
    {
        return opw_complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
    }
    /* Smith's division: does not overflow where the quotient does not. */
    friend opw_complex operator/(const opw_complex& a, const opw_complex& b)
    {
        R re = b.real < 0 ? -b.real : b.real, im = b.imag < 0 ? -b.imag : b.imag;
        if (re == 0 && im == 0)
            return opw_complex(a.real / re, a.imag / re);
        if (re >= im) {
            R ratio = b.imag / b.real, scale = 1 / (b.real + b.imag * ratio);
            return opw_complex((a.real + a.imag * ratio) * scale, (a.imag - a.real * ratio) * scale);
        }
        R ratio = b.real / b.imag, scale = 1 / (b.imag + b.real * ratio);
        return opw_complex((a.real * ratio + a.imag) * scale, (a.imag * ratio - a.real) * scale);
    }
    friend bool operator==(const opw_complex& a, const opw_complex& b) { return a.real == b.real && a.imag == b.imag; }
    friend bool operator!=(const opw_complex& a, const opw_complex& b) { return !(a == b); }
    opw_complex& operator+=(const opw_complex& z) { return *this = *this + z; }
    opw_complex& operator-=(const opw_complex& z) { return *this = *this - z; }
    opw_complex& operator*=(const opw_complex& z) { return *this = *this * z; }
    opw_complex& operator/=(const opw_complex& z) { return *this = *this / z; }
};
typedef opw_complex<npy_float32, npy_complex64> opw_complex64;
typedef opw_complex<npy_float64, npy_complex128> opw_complex128;
typedef opw_complex<npy_longdouble, npy_clongdouble> opw_clongdouble;
#else
typedef npy_complex64 opw_complex64;
typedef npy_complex128 opw_complex128;
typedef npy_clongdouble opw_clongdouble;
#endif
typedef opw_complex64 pytensor_complex64;
typedef opw_complex128 pytensor_complex128;
#endif
