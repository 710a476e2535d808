// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Page<User> {
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
        let wanted = Set(ids)
        var found: [User] = []
        var next = token
        repeat {
            let page = try await list(next)
            found += page.elements.filter { wanted.contains($0.id) }
            next = page.next
        } while next != nil && found.count < wanted.count
        return Page(found, next: nil)
    }
}
