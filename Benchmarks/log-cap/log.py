# SPDX-License-Identifier: Apache-2.0
"""Measures the length of a log with overlapping readers. See docs/adr/0006.

usage: log.py [SECONDS]
"""
import sqlite3,os,sys,tempfile,time,random,multiprocessing as mp
P=os.path.join(tempfile.mkdtemp(),'wal.db')
SECONDS=int(sys.argv[1]) if len(sys.argv)>1 else 12
def reader(stop,ms):
    c=sqlite3.connect(P,isolation_level=None)
    while not stop.is_set():
        c.execute('BEGIN'); 
        c.execute('SELECT count(*) FROM (SELECT * FROM m ORDER BY rowid DESC LIMIT 30)').fetchone()
        time.sleep(ms/1000*0.5+ (os.getpid()%3)*ms/3000)
        c.execute('COMMIT')
def run(policy,ms,readers):
    for s in ('','-wal','-shm'):
        try: os.unlink(P+s)
        except: pass
    c=sqlite3.connect(P,isolation_level=None)
    c.executescript('PRAGMA auto_vacuum=2;PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA wal_autocheckpoint=1000;PRAGMA journal_size_limit=4194304;CREATE TABLE m(id INTEGER PRIMARY KEY,k INTEGER,b BLOB);CREATE INDEX i ON m(k)')
    stop=mp.Event(); ps=[mp.Process(target=reader,args=(stop,ms)) for _ in range(readers)]
    [p.start() for p in ps]; peak=0;held=0;calls=0
    t0=time.time();n=0
    while time.time()-t0<SECONDS:
        c.execute('BEGIN IMMEDIATE')
        c.executemany('INSERT INTO m(k,b) VALUES(?,zeroblob(220))',[(random.getrandbits(40),) for _ in range(100)])
        c.execute('COMMIT'); n+=1
        w=os.path.getsize(P+'-wal'); peak=max(peak,w)
        if policy and w>policy:
            t=time.time(); c.execute('PRAGMA busy_timeout=100'); r=c.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone(); calls+=1
            held=max(held,time.time()-t)
    stop.set();[p.join() for p in ps]
    print('policy',policy,'reader ms',ms,'x',readers,'commits',n,'db MB',os.path.getsize(P)/1e6,'peak log MB',peak/1e6,'checkpoints',calls,'longest ms',held*1e3,flush=True)
for a in ((0,10,3),(16<<20,10,3),(0,100,4),(16<<20,100,4)): run(*a)
