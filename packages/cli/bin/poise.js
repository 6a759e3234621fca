#!/usr/bin/env node
// Stands in for dist/main.js, which is not there yet when npm links executables into a fresh clone.
import '../dist/main.js';
