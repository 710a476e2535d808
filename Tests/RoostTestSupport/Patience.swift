// SPDX-License-Identifier: Apache-2.0

/// The limit for a test that hangs.
package enum Patience {
    /// The time limit of a test or a suite in minutes; far above any busy machine's time, so that
    /// only a hang reaches it.
    package static let minutes = 120
}
