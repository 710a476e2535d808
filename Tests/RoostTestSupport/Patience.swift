// SPDX-License-Identifier: Apache-2.0

/// The guard against a test that hangs.
package enum Patience {
    /// Minutes that a test or a suite may take: far more than on any machine, however busy, so that only a hang
    /// reaches it.
    package static let minutes = 120
}
