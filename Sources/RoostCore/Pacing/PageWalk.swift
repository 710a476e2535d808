// SPDX-License-Identifier: Apache-2.0

// One condition for every loop over pages.
//
// A loop that asks "is there another page?" lets the server decide how long it runs. A walk asks "has this page
// brought anything?" instead: a place that was given before, too many pages without a new item, and too many pages
// at all end it. What comes next is up to the back-off of the caller.

/// One pass over the pages of a list: it goes on as long as it makes progress.
package struct PageWalk<Place: Hashable & Sendable, Item: Hashable & Sendable>: Hashable, Sendable {
    /// Pages in a row that may bring nothing new: a server that filters pages leaves some of them empty.
    package static var barrenLimit: Int { 4 }
    /// Pages of one walk; the next one continues where it ended.
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

    /// Notes a page that leads to the place `next` and returns whether the walk goes on there.
    ///
    /// An item counts as new the first time this walk meets it, whatever the disk knows.
    package mutating func goesOn(to next: Place, after items: some Sequence<Item>) -> Bool {
        pages += 1
        let known = self.items.count
        self.items.formUnion(items)
        barrenPages = self.items.count > known ? 0 : barrenPages + 1
        return places.insert(next).inserted && barrenPages < Self.barrenLimit && pages < pageLimit
    }

    /// Returns whether the walk may begin again because the server refuses its place.
    ///
    /// A place of an earlier walk may have become invalid, so one new beginning is allowed. A server that
    /// refuses a place of this walk makes no progress possible.
    package mutating func mayBeginAgain() -> Bool {
        guard pages == 0, !hasBegunAgain else { return false }
        hasBegunAgain = true
        return true
    }
}
