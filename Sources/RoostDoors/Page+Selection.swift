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
        var (next, seen) = (token, Set<String>())
        repeat {
            let page = try await list(next)
            // Pages may overlap when the list changes between them.
            found += page.elements.filter { wanted.remove($0.id) != nil }
            next = page.next
            // A list that repeats a token, or goes on without users, would never end.
            guard let token = next, !page.elements.isEmpty, seen.insert(token).inserted else {
                break
            }
        } while !wanted.isEmpty
        return Page(found, next: nil)
    }
}
