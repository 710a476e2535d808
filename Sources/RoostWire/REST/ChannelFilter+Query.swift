// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ChannelFilter {
    /// The filter as parameters of a list; fields that are not set are left out (`docs/protocol`
    /// 3.2).
    package var query: [QueryItem] {
        var query = QueryBuilder()
        query.add("hidden_mode", hidden == .none ? nil : hidden.rawValue)
        query.add("super_mode", kind?.rawValue)
        query.add("public_mode", isPublic.map { $0 ? "public" : "private" })
        query.add("distinct_mode", isDistinct.map { $0 ? "distinct" : "nondistinct" })
        query.add("unread_filter", isUnread ? "unread_message" : nil)
        switch membership {
        case .joined?: query.add("member_state_filter", "joined_only")
        case .invited?: query.add("member_state_filter", "invited_only")
        // No list has such channels, on the server neither.
        case MembershipState.none?, nil: break
        }
        query.add("custom_types", customTypes.sorted())
        query.add("custom_type_startswith", customTypePrefix)
        query.add("channel_urls", urls.sorted().map(\.rawValue))
        add(name, "name", to: &query)
        add(memberNickname, "members_nickname", to: &query)
        if let search, search.inChannelName || search.inMemberNicknames {
            var fields: [String] = []
            if search.inChannelName { fields.append("channel_name") }
            if search.inMemberNicknames { fields.append("member_nickname") }
            query.add("search_query", search.text)
            query.add("search_fields", fields)
        }
        addMembers(to: &query)
        addMetadata(to: &query)
        query.add("created_after", createdAfter.map { String($0.seconds) })
        query.add("created_before", createdBefore.map { String($0.seconds) })
        return query.items
    }

    private func add(_ text: Text?, _ name: String, to query: inout QueryBuilder) {
        switch text {
        case .contains(let part)?: query.add("\(name)_contains", part)
        case .hasPrefix(let start)?: query.add("\(name)_startswith", start)
        case .equals(let whole)?: if !whole.isEmpty { query.add(name, [whole]) }
        case nil: break
        }
    }

    private func addMembers(to query: inout QueryBuilder) {
        func ids(_ users: Set<UserID>) -> [String] { users.sorted().map(\.rawValue) }
        switch members {
        case .exactly(let users)?:
            // An empty list means the viewer alone.
            query.add("members_exactly_in", users.isEmpty ? [""] : ids(users))
        case .allOf(let users)?:
            query.add("members_include_in", ids(users))
            query.add("query_type", "AND")
        case .anyOf(let users)?:
            query.add("members_include_in", ids(users))
            query.add("query_type", "OR")
        case nil: break
        }
    }

    private func addMetadata(to query: inout QueryBuilder) {
        guard let metadata else { return }
        query.add("metadata_key", metadata.key)
        switch metadata.value {
        case .any: break
        case .oneOf(let values): query.add("metadata_values", values.sorted())
        case .hasPrefix(let start): query.add("metadata_value_startswith", start)
        }
    }
}
