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

    // MARK: - On the caller's thread

    /// Runs something on a thread of its own.
    private func onOwnThread<T: Sendable>(
        _ body: @escaping @Sendable (ThreadExecutor) async -> T
    ) async -> T {
        let home = ThreadExecutor(name: "home")
        let value = await Task(executorPreference: home) { await body(home) }.value
        await home.shutDown()
        return value
    }

    @Test func `a thread of one's own may do what is short in the place of another`() async {
        let executor = ThreadExecutor(name: "notes")
        let notebook = Notebook(on: executor)
        let isThere = await onOwnThread { _ in
            executor.runHere {
                notebook.assumeIsolated { $0.add(1) }
                return executor.isIsolatingCurrentContext()
            }
        }
        #expect(isThere == true)
        await notebook.add(2)
        #expect(await notebook.entries == [1, 2])
        await executor.shutDown()
    }

    @Test func `a thread that others share may not`() async {
        let executor = ThreadExecutor(name: "notes")
        #expect(executor.runHere { true } == nil)
        await executor.shutDown()
    }

    @Test
    func `while somebody is at work there nobody else is, and what comes meanwhile runs after`()
        async
    {
        let executor = ThreadExecutor(name: "notes")
        let notebook = Notebook(on: executor)
        let isRefused = await onOwnThread { _ in
            let done = executor.runHere {
                let later = Task(executorPreference: executor) { await notebook.add(2) }
                notebook.assumeIsolated { $0.add(1) }
                return (isRefused: executor.runHere { true } == nil, later: later)
            }
            await done?.later.value
            return done?.isRefused
        }
        #expect(isRefused == true)
        #expect(await notebook.entries == [1, 2])
        await executor.shutDown()
    }

    @Test func `jobs that wait at home come first, or a loop would never let them run`() async {
        let executor = ThreadExecutor(name: "notes")
        let refused = await onOwnThread { home in
            let waiting = Task(executorPreference: home) {}
            let refused = executor.runHere { true } == nil
            await waiting.value
            return refused
        }
        #expect(refused)
        await executor.shutDown()
    }

    @Test func `callers on many threads and a shutdown among them lose nothing`() async {
        for _ in 0..<50 {
            let executor = ThreadExecutor(name: "notes")
            let notebook = Notebook(on: executor)
            let homes = [ThreadExecutor(name: "one"), ThreadExecutor(name: "two")]
            await withTaskGroup { group in
                for entry in 0..<40 {
                    group.addTask(executorPreference: homes[entry % 2]) {
                        let isDone: Void? = executor.runHere {
                            notebook.assumeIsolated { $0.add(entry) }
                        }
                        if isDone == nil { await notebook.add(entry) }
                    }
                }
                group.addTask { await executor.shutDown() }
            }
            #expect(await notebook.entries.sorted() == Array(0..<40))
            for home in homes { await home.shutDown() }
        }
    }
}
