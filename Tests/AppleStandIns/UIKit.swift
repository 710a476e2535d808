// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md. It declares nothing: the sources ask only whether UIKit is there.
