// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The part of a list that the app has received, so that it gets no change twice.
///
/// A page and the changes that contain it arrive by two ways, in either order.
package struct Mirror<Element: ListElement>: Sendable {
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

    /// Adds the elements before the first known one.
    ///
    /// - Returns: The elements added.
    package mutating func absorbBeginning(_ list: some Sequence<Element>) -> [Element] {
        Array(list.prefix { putNew($0) })
    }

    /// Applies a step.
    ///
    /// - Returns: The part of the step that the app does not know yet.
    package mutating func apply(_ step: ListDiff<Element>) -> ListDiff<Element> {
        apply([step])[0]
    }

    /// Applies steps in order, some of which may have been applied before.
    ///
    /// - Returns: The part of each step that the app does not know yet and that no later step
    ///   replaces.
    package mutating func apply(_ steps: [ListDiff<Element>]) -> [ListDiff<Element>] {
        var touched = Touched()
        for (number, step) in steps.enumerated() {
            for element in step.deleted {
                guard let key = key(of: element) else { continue }
                touched.note(key, in: number, before: elements[key])
                touched.note(outside: step.counterpart(of: element), of: element, at: key)
                remove(key)
            }
            for update in step.updated {
                guard let key = key(of: update.before) ?? key(of: update.after) else { continue }
                touched.note(key, in: number, before: elements[key])
                put(update.after, at: key)
            }
            for element in step.inserted {
                let known = key(of: element)
                let key = known ?? lastKey + 1
                touched.note(key, in: number, before: known.flatMap { elements[$0] })
                touched.note(outside: step.counterpart(of: element), of: element, at: key)
                if known == nil { putNew(element) } else { put(element, at: key) }
            }
        }
        var unseen = steps.map { ListDiff<Element>().withOrigins($0.origins) }
        for (key, entry) in touched.inOrder {
            switch (entry.before, elements[key]) {
            case (let before?, let after?):
                guard before != after else { continue }
                unseen[entry.step].updated.append(Update(before: before, after: after))
            case (let before?, nil): unseen[entry.step].deleted.append(before)
            case (nil, let after?): unseen[entry.step].inserted.append(after)
            case (nil, nil): continue
            }
            if let outside = entry.outside { unseen[entry.step].counterparts.append(outside) }
        }
        return unseen
    }

    /// The elements that some steps concern.
    private struct Touched {
        struct Entry {
            /// The element before the first step; nil if it was unknown.
            let before: Element?
            /// The number of the last step, and the place in the order of all.
            var step: Int
            var place: Int
            /// The element's value outside the list, from the last step that inserted or deleted
            /// it.
            var outside: Element?
        }

        private var entries: [Int: Entry] = [:]
        private var count = 0

        mutating func note(_ key: Int, in step: Int, before: Element?) {
            count += 1
            let known = entries[key]
            entries[key] = Entry(
                before: known.map(\.before) ?? before, step: step, place: count,
                outside: known?.outside)
        }

        mutating func note(outside: Element?, of element: Element, at key: Int) {
            // An element that gave way to another one has itself outside the list, and is given as
            // it was before all steps.
            let before = outside == element ? entries[key]?.before : nil
            entries[key]?.outside = before ?? outside
        }

        var inOrder: [(key: Int, value: Entry)] {
            entries.sorted { $0.value.place < $1.value.place }
        }
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
