#include "perlin.h"

#include <math.h>

static unsigned scatter(unsigned seed, int x, int y)
{
    unsigned h = seed + 0x9e3779b9u * (unsigned)x + 0x85ebca6bu * (unsigned)y;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

static double slope(unsigned seed, int i, int j, double x, double y)
{
    switch (scatter(seed, i, j) & 7) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return -x + y;
    case 3: return -x - y;
    case 4: return x;
    case 5: return -x;
    case 6: return y;
    default: return -y;
    }
}

static double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

double perlin_noise(unsigned seed, double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);
    double u = x - i, v = y - j, right = fade(u), down = fade(v);
    double a = slope(seed, i, j, u, v), b = slope(seed, i + 1, j, u - 1, v);
    double c = slope(seed, i, j + 1, u, v - 1), d = slope(seed, i + 1, j + 1, u - 1, v - 1);
    return (1 - down) * (a + right * (b - a)) + down * (c + right * (d - c));
}

int perlin_fill(float *image, int rows, int columns, double scale, int octaves, unsigned seed)
{
    if (octaves < 1) return -1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0, height = 1, step = scale;
            for (int k = 0; k < octaves; k++, height /= 2, step *= 2)
                sum += height * perlin_noise(seed + k, j * step, i * step);
            *image++ = (float)sum;
        }
    return 0;
}
