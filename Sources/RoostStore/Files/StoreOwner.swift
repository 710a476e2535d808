// SPDX-License-Identifier: Apache-2.0

/// Whose data a database holds.
package struct StoreOwner: Hashable, Sendable {
    /// The application ID.
    package let application: String
    /// The user ID.
    package let user: String

    package init(application: String, user: String) {
        self.application = application
        self.user = user
    }
}
