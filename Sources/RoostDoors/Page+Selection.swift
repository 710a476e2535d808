// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Page<User> {
    /// The size of the pages in which users are looked for.
    package static var largest: Int { 100 }

    /// Returns the listed users among some, as one page.
    ///
    /// The server's list has no such condition, so its pages are read until all are found.
    ///
    /// - Parameters:
    ///   - ids: The users to find; nil for the next page of the list as it is.
    ///   - token: The token of the next page; nil for the first.
    ///   - list: Asks for a page of the list.
    /// - Returns: The page.
    /// - Throws: The error of `list`.
    package static func selecting(
        _ ids: [UserID]?, after token: String?,
        from list: (String?) async throws(RoostError) -> Page<User>
    ) async throws(RoostError) -> Page<User> {
        guard let ids else { return try await list(token) }
        var wanted = Set(ids)
        var found: [User] = []
        var next = token
        repeat {
            let page = try await list(next)
            // Pages may overlap when the list changes between them.
            found += page.elements.filter { wanted.remove($0.id) != nil }
            next = page.next
        } while next != nil && !wanted.isEmpty
        return Page(found, next: nil)
    }
}
