// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import Testing

/// Remembers in which order it was called; runs where it is told.
private actor Notebook {
    private nonisolated let executor: ThreadExecutor
    private(set) var entries: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: ThreadExecutor) {
        self.executor = executor
    }

    func add(_ entry: Int) {
        executor.preconditionIsolated()
        entries.append(entry)
    }

    /// Asks another actor on the same thread, and comes back.
    func addToBoth(_ entry: Int, other: Notebook) async {
        add(entry)
        await other.add(entry)
        add(-entry)
    }
}

struct ThreadExecutorTests {
    @Test func `an actor's calls run in order on the executor's thread`() async {
        let executor = ThreadExecutor(name: "notes")
        let notebook = Notebook(on: executor)
        for entry in 0..<1_000 { await notebook.add(entry) }
        #expect(await notebook.entries == Array(0..<1_000))
        await executor.shutDown()
    }

    @Test func `many callers at once lose nothing`() async {
        let executor = ThreadExecutor(name: "notes")
        let notebook = Notebook(on: executor)
        await withTaskGroup { group in
            for entry in 0..<2_000 { group.addTask { await notebook.add(entry) } }
        }
        #expect(await notebook.entries.sorted() == Array(0..<2_000))
        await executor.shutDown()
    }

    @Test func `two actors share a thread without waiting for each other`() async {
        let executor = ThreadExecutor(name: "notes")
        let (left, right) = (Notebook(on: executor), Notebook(on: executor))
        await left.addToBoth(1, other: right)
        #expect(await left.entries == [1, -1])
        #expect(await right.entries == [1])
        await executor.shutDown()
    }

    @Test func `a call after the shutdown is answered`() async {
        let executor = ThreadExecutor(name: "notes")
        let notebook = Notebook(on: executor)
        await notebook.add(1)
        await executor.shutDown()
        await executor.shutDown()
        for entry in 2...50 { await notebook.add(entry) }
        #expect(await notebook.entries == Array(1...50))
        await executor.shutDown()
    }

    @Test func `a shutdown while calls come in loses none of them`() async {
        for _ in 0..<50 {
            let executor = ThreadExecutor(name: "notes")
            let notebook = Notebook(on: executor)
            await withTaskGroup { group in
                for entry in 0..<20 { group.addTask { await notebook.add(entry) } }
                group.addTask { await executor.shutDown() }
                group.addTask { await executor.shutDown() }
            }
            #expect(await notebook.entries.sorted() == Array(0..<20))
        }
    }

    @Test func `a task may prefer the executor`() async {
        let executor = ThreadExecutor(name: "tasks")
        let isThere = await Task(executorPreference: executor) {
            executor.isIsolatingCurrentContext() == true
        }.value
        #expect(isThere)
        #expect(executor.isIsolatingCurrentContext() == false)
        await executor.shutDown()
    }
}
