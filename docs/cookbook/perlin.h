/* Gradient noise after Perlin (2002): smooth, the same for the same seed, 0 at whole coordinates. */
double perlin_noise(unsigned seed, double x, double y);

/* rows × columns of the sum of octaves, each of twice the frequency and half the height. 0, or -1: no octaves. */
int perlin_fill(float *image, int rows, int columns, double scale, int octaves, unsigned seed);
