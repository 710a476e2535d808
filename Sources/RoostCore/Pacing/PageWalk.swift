// SPDX-License-Identifier: Apache-2.0

// One condition for every loop over pages.
//
// A loop with the condition "there is another page" lets the server decide how long it runs. A walk
// ends with a repeated place, with too many pages in a row without a new item, or with too many
// pages at all. The caller's backoff decides what follows.

/// One pass over the pages of a list, which continues as long as it makes progress.
package struct PageWalk<
    Place: Hashable & Codable & Sendable, Item: Hashable & Codable & Sendable
>: Equatable, Codable, Sendable {
    /// The most pages in a row without a new item: a server that filters pages leaves some of them
    /// empty.
    package static var barrenLimit: Int { 4 }
    /// The most pages of one walk; the next one continues at its end.
    package static var pageLimit: Int { 1_000 }

    private let pageLimit: Int
    private var places: Set<Place>
    private var items: Set<Item> = []
    private var pages = 0
    private var barrenPages = 0
    private var hasBegunAgain = false

    /// Begins a walk at a place, nil for the beginning of the list.
    package init(from place: Place?, pageLimit: Int = Self.pageLimit) {
        places = place.map { [$0] } ?? []
        self.pageLimit = pageLimit
    }

    /// Notes a page that leads to the place `next`, and returns whether the walk continues there.
    ///
    /// An item counts as new when this walk meets it first, whether or not the disk has it.
    package mutating func goesOn(to next: Place, after items: some Sequence<Item>) -> Bool {
        pages += 1
        let known = self.items.count
        self.items.formUnion(items)
        barrenPages = self.items.count > known ? 0 : barrenPages + 1
        return places.insert(next).inserted && barrenPages < Self.barrenLimit && pages < pageLimit
    }

    /// Returns whether the walk may restart after the server refused its place.
    ///
    /// A place of an earlier walk may have become invalid, so one restart is allowed. If the server
    /// refuses a place of this walk, no progress is possible.
    package mutating func mayBeginAgain() -> Bool {
        guard pages == 0, !hasBegunAgain else { return false }
        hasBegunAgain = true
        return true
    }
}
