"""What the theory chapters share, under plain names: toy spheres, exact enumerations, Gaussians."""
