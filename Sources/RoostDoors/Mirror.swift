// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The part of a list that the app has received, so that it gets no change twice.
///
/// A page and the changes that contain it arrive by two ways, in either order.
package struct Mirror<Element: ListElement>: Sendable {
    package enum End: Sendable { case first, last }

    private var elements: [Int: Element] = [:]
    private var keys: [Element.Identity: Int] = [:]
    private var lastKey = 0

    package init() {}

    /// The elements in the order of their arrival.
    package var all: [Element] { elements.sorted { $0.key < $1.key }.map(\.value) }

    /// Replaces all elements with a whole list.
    package mutating func replace(with list: [Element]) {
        self = Mirror()
        for element in list { putNew(element) }
    }

    /// Adds a page.
    ///
    /// - Returns: The elements that are new.
    package mutating func absorb(_ page: some Sequence<Element>) -> [Element] {
        page.filter { putNew($0) }
    }

    /// Adds the elements before the first known one, or behind the last.
    ///
    /// - Returns: The elements added.
    package mutating func absorb(_ list: ArraySlice<Element>, at end: End) -> [Element] {
        switch end {
        case .first: return Array(list.prefix { putNew($0) })
        case .last:
            let known = list.lastIndex { key(of: $0) != nil }
            return absorb(known.map { list[($0 + 1)...] } ?? list)
        }
    }

    /// Applies a step.
    ///
    /// - Returns: The part of the step that the app does not know yet.
    package mutating func apply(_ step: ListDiff<Element>) -> ListDiff<Element> {
        var unseen = ListDiff<Element>()
        unseen.origins = step.origins
        for element in step.deleted {
            guard let key = key(of: element), let known = elements[key] else { continue }
            remove(key)
            unseen.deleted.append(known)
        }
        for update in step.updated {
            guard let key = key(of: update.before) ?? key(of: update.after) else { continue }
            note(update.after, at: key, in: &unseen)
        }
        for element in step.inserted {
            if let key = key(of: element) {
                note(element, at: key, in: &unseen)
            } else {
                putNew(element)
                unseen.inserted.append(element)
            }
        }
        return unseen
    }

    private mutating func note(
        _ element: Element, at key: Int, in unseen: inout ListDiff<Element>
    ) {
        guard let known = elements[key], known != element else { return }
        put(element, at: key)
        unseen.updated.append(Update(before: known, after: element))
    }

    private func key(of element: Element) -> Int? {
        element.identities.lazy.compactMap { self.keys[$0] }.first
    }

    private mutating func put(_ element: Element, at key: Int) {
        elements[key] = element
        for identity in element.identities { keys[identity] = key }
    }

    /// Adds an element behind all others, unless it is known.
    @discardableResult
    private mutating func putNew(_ element: Element) -> Bool {
        let identities = element.identities
        guard !identities.contains(where: { keys[$0] != nil }) else { return false }
        lastKey += 1
        elements[lastKey] = element
        for identity in identities { keys[identity] = lastKey }
        return true
    }

    private mutating func remove(_ key: Int) {
        for identity in elements.removeValue(forKey: key)?.identities ?? [] {
            keys[identity] = nil
        }
    }
}
