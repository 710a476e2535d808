// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ListDiff {
    /// Makes the diff from one list to another.
    package init(from old: [Element], to new: [Element]) {
        self.init()
        var remaining: [Element.Identity: Element] = [:]
        for element in old {
            for identity in element.identities { remaining[identity] = element }
        }
        for element in new {
            guard let known = element.identities.lazy.compactMap({ remaining[$0] }).first else {
                inserted.append(element)
                continue
            }
            for identity in known.identities { remaining[identity] = nil }
            if known != element { updated.append(Update(before: known, after: element)) }
        }
        deleted = old.filter { element in
            element.identities.contains { remaining[$0] == element }
        }
    }

    /// Returns one diff with the effect of this one and then `next`.
    ///
    /// It is never larger than the lists, which bounds a slow reader's queue.
    package func followed(by next: ListDiff) -> ListDiff {
        var result = self
        result.origins.formUnion(next.origins)
        var counterparts = next.counterparts
        for element in next.deleted {
            if result.inserted.removeFirst(sharingNameWith: element) != nil { continue }
            let update = result.updated.removeFirst(sharingNameWith: element)
            result.deleted.append(update?.before ?? element)
            // An element that gave way to another one has itself there.
            if let update, let index = counterparts.firstIndex(of: element) {
                counterparts[index] = update.before
            }
        }
        for update in next.updated {
            if let index = result.inserted.firstIndex(sharingNameWith: update.before) {
                result.inserted[index] = update.after
                continue
            }
            let earlier = result.updated.removeFirst(sharingNameWith: update.before)
            result.note(from: earlier?.before ?? update.before, to: update.after)
        }
        for element in next.inserted {
            if let before = result.deleted.removeFirst(sharingNameWith: element) {
                result.note(from: before, to: element)
            } else {
                result.inserted.append(element)
            }
        }
        result.counterparts += counterparts
        guard !result.counterparts.isEmpty else { return result }
        // A value counts where the joined step still inserts or removes its element.
        let names = Set((result.inserted + result.deleted).flatMap(\.identities))
        result.counterparts.removeAll { !$0.identities.contains(where: names.contains) }
        return result
    }

    private mutating func note(from before: Element, to after: Element) {
        if before != after { updated.append(Update(before: before, after: after)) }
    }
}

extension ListElement {
    fileprivate func sharesName(with other: Self) -> Bool {
        // An element has one or two names, so no set is made for each comparison.
        let names = other.identities
        return identities.contains(where: names.contains)
    }
}

extension Array where Element: ListElement {
    fileprivate func firstIndex(sharingNameWith element: Element) -> Int? {
        firstIndex { $0.sharesName(with: element) }
    }

    fileprivate mutating func removeFirst(sharingNameWith element: Element) -> Element? {
        firstIndex(sharingNameWith: element).map { remove(at: $0) }
    }
}

extension Array {
    fileprivate mutating func removeFirst<Value: ListElement>(
        sharingNameWith element: Value
    ) -> Update<Value>? where Element == Update<Value> {
        firstIndex { $0.after.sharesName(with: element) }.map { remove(at: $0) }
    }
}
