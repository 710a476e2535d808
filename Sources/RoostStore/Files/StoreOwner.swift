// SPDX-License-Identifier: Apache-2.0

/// The application and the user that a database belongs to.
package struct StoreOwner: Equatable, Sendable {
    /// The application ID.
    package let application: String
    /// The user ID.
    package let user: String

    package init(application: String, user: String) {
        self.application = application
        self.user = user
    }
}
