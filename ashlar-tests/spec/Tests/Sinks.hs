{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Sinks
-- Description : What others need to make sinks of their own, and to write through them
--
-- "Tests.Builder" has the sinks of the library.
module Tests.Sinks (tests) where

import Ashlar.Builder
import Ashlar.Builder.Buffer
import Ashlar.Builder.Extra (byteStringCopy, byteStringInsert, flush)
import Ashlar.Builder.Sink
import Ashlar.Builder.Unsafe (fromWriter)
import Control.Exception
import Control.Monad
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef
import qualified Data.List as List
import Data.Word (Word8)
import Foreign.ForeignPtr (mallocForeignPtrBytes)
import Foreign.Ptr (Ptr, plusPtr)
import System.IO.Unsafe (unsafePerformIO)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Programs

tests :: TestTree
tests =
  testGroup
    "sinks of one's own"
    [ testGroup
        "the open buffer"
        [ testProperty "chunks, against the model, at every buffer size" . withMaxSuccess 30 $
            \p -> conjoin [chunksAre p n runBuilderWith | n <- sizes],
          testCase "addresses outside, and what was handed out, are refused" addresses,
          testCase "a buffer of another size gets what was written" moved,
          testCase "a copy that does not fit is refused" copies,
          testCase "memory of one's own" ownMemory
        ],
      testGroup
        "a sink that answers while the builder is suspended"
        [ testProperty "chunks, against the model, at every buffer size" . withMaxSuccess 30 $
            \p -> conjoin [chunksAre p n (runBuilderSuspending (const (pure ()))) | n <- sizes],
          testCase "a value throws: what comes before it is saved" valueThrows,
          testCase "the sink's own action on an exception may throw, too" savingThrows,
          testCase "the sink throws, or the run is interrupted: nothing is saved" sinkThrows
        ],
      testGroup
        "a builder that is written by an action"
        [ testProperty "through a sink of its own, at every buffer size" . withMaxSuccess 30 $
            \p ->
              let expected = S.pack (model p)
                  b = "<" <> through (build p) <> through (through (build p)) <> ">"
                  whole = "<" <> expected <> expected <> ">"
                  chunks n = unsafePerformIO (gathered n runBuilderWith b)
               in conjoin $
                    [toStrictByteString b === whole, L.toStrict (toLazyByteString b) === whole]
                      ++ [S.concat (chunks n) === whole | n <- sizes],
          testCase "lazy output of an infinite builder" $
            let numbers = toLazyByteString (through (foldMap intDec [1 ..]))
             in L.length (L.take 100000 numbers) @?= 100000,
          testCase "a value throws: what was written before it arrives" $ do
            let b = through ("a" <> flush <> "b" <> flush <> bad)
                chunks = L.toChunks (toLazyByteString b)
            seen <- newIORef []
            fails (mapM_ (\bs -> modifyIORef seen (bs :)) chunks)
            readIORef seen >>= (@?= ["b", "a"])
        ]
    ]
  where
    sizes = [1 .. 20] ++ [63, 64, 65, 127, 128, 129, 4095, 4096, 4097] :: [Int]

type Run = Sink -> FreeSpace -> Builder -> IO (Ptr Word8)

-- The sink of the documentation, with buffers of n bytes.
eachChunk :: Int -> Run -> (S.ByteString -> IO ()) -> Builder -> IO ()
eachChunk n run consume b = do
  first <- newOpen n
  ref <- newIORef first
  let deliver p = do
        open <- readIORef ref
        writeIORef ref $! handedOut open p
        unless (p == openFrom open) (consume (written open p))
      sink = Sink $ \request p -> do
        deliver p
        case request of
          More least _ -> do
            new <- newOpen (max least n)
            writeIORef ref new
            pure (wholeSpace new)
          Insert bs -> consume bs >> (`restFrom` p) <$> readIORef ref
          Flush -> (`restFrom` p) <$> readIORef ref
  keepAlive ref (run sink (wholeSpace first) b >>= deliver)

gathered :: Int -> Run -> Builder -> IO [S.ByteString]
gathered n run b = do
  ref <- newIORef []
  eachChunk n run (\bs -> modifyIORef ref (bs :)) b
  reverse <$> readIORef ref

-- No chunk changes after it was handed out.
chunksAre :: Program -> Int -> Run -> Property
chunksAre p n run = counterexample ("buffer size " ++ show n) . ioProperty $ do
  ref <- newIORef []
  eachChunk n run (\bs -> modifyIORef ref ((bs, S.copy bs) :)) (build p)
  (chunks, copies') <- unzip . reverse <$> readIORef ref
  pure (S.concat chunks === S.pack (model p) .&&. chunks === copies')

outsideOf :: a -> IO (Int, Int)
outsideOf a = do
  r <- try (evaluate a)
  either
    (\e -> pure (outsideAfter e, outsideFree e))
    (const (assertFailure "not refused"))
    r

addresses :: Assertion
addresses = do
  open <- newOpen 8
  let at n = openFrom open `plusPtr` n
      half = handedOut open (at 4)
      full = handedOut half (at 8)
  freeBytes (restFrom open (at 8)) @?= 0
  freeBytes (restFrom half (at 4)) @?= 4
  S.length (written open (at 8)) @?= 8
  S.length (written full (at 8)) @?= 0
  openSize full @?= 8
  sequence
    [ outsideOf (restFrom open (at (-1))),
      outsideOf (restFrom open (at 9)),
      outsideOf (written open (at (-1))),
      outsideOf (written open (at 9)),
      outsideOf (handedOut open (at 9)),
      outsideOf (restFrom half (at 3)),
      outsideOf (written half (at 3)),
      outsideOf (handedOut half (at 3)),
      outsideOf (wholeSpace half),
      outsideOf (restFrom noBuffer (at 0)) >> pure (0, 0)
    ]
    >>= (@?= [(-1, 8), (9, 8), (-1, 8), (9, 8), (9, 8)] ++ replicate 3 (-1, 4) ++ [(-4, 4), (0, 0)])
  freeBytes (wholeSpace (emptied full)) @?= 8
  r <- try (newOpen (-1))
  either (\(ErrorCall _) -> pure ()) (const (assertFailure "not refused")) r

moved :: Assertion
moved = do
  old <- newOpen 8
  FreeSpace p _ <- keepAlive old (insertCopy (wholeSpace old) "brick")
  let rest = handedOut old (openFrom old `plusPtr` 1)
  new <- newOpen 4
  FreeSpace p' e <- keepAlive (new, rest) (copiedTo new rest p)
  (written new p', written old p, e == p') @?= ("rick", "brick", True)
  small <- newOpen 3
  r <- try (copiedTo small rest p)
  either (@?= AddressOutside 4 3) (const (assertFailure "not refused")) r

copies :: Assertion
copies = do
  open <- newOpen 200000
  let long = S.pack (take 200000 (cycle [0 .. 250]))
      space = wholeSpace open
  FreeSpace end _ <- keepAlive open (insertCopy space long)
  written open end @?= long
  r <- try (insertCopy (FreeSpace end end) "b")
  case r of
    Left e -> (refusedNeeded e, refusedGiven e) @?= (1, 0)
    Right _ -> assertFailure "not refused"

ownMemory :: Assertion
ownMemory = do
  memory <- mallocForeignPtrBytes 16
  let open = openOn memory 16
      sink = Sink (\_ p -> pure (FreeSpace p p))
  end <- keepAlive open (runBuilderWith sink (wholeSpace open) "brick")
  written open end @?= "brick"

-- (The compiler must not see that it throws.)
bad :: Builder
bad = byteString (unsafePerformIO (throwIO (userError "bad")))
{-# NOINLINE bad #-}

fails :: IO a -> Assertion
fails act = do
  r <- try act
  either
    (\e -> show (e :: IOException) @?= "user error (bad)")
    (const (assertFailure "no exception"))
    r

-- A run in one buffer, with what it saved.
saving :: (Request -> IO ()) -> Builder -> IO (Either IOException (), [S.ByteString])
saving answer b = do
  open <- newOpen 4096
  saved <- newIORef []
  let sink = Sink (\request p -> restFrom open p <$ answer request)
      save p = modifyIORef saved (written open p :)
  r <- keepAlive open (try (void (runBuilderSuspending save sink (wholeSpace open) b)))
  (,) r <$> readIORef saved

valueThrows :: Assertion
valueThrows = do
  (r, saved) <- saving (const (pure ())) ("a" <> flush <> "b" <> bad)
  (either show (const "none") r, saved) @?= ("user error (bad)", ["ab"])
  (r', saved') <- saving (const (pure ())) ("a" <> flush <> "b")
  (either show (const "none") r', saved') @?= ("none", [])

savingThrows :: Assertion
savingThrows = do
  open <- newOpen 4096
  let sink = Sink (\_ p -> pure (restFrom open p))
      save _ = throwIO (ErrorCall "no space")
  r <- try (keepAlive open (runBuilderSuspending save sink (wholeSpace open) bad))
  either (\(ErrorCall e) -> e @?= "no space") (const (assertFailure "no exception")) r

sinkThrows :: Assertion
sinkThrows = do
  (r, saved) <- saving (const (throwIO (userError "sink"))) ("a" <> flush <> "b")
  (either show (const "none") r, saved) @?= ("user error (sink)", [])
  open <- newOpen 4096
  ref <- newIORef False
  let sink = Sink (\_ p -> pure (restFrom open p))
      save _ = writeIORef ref True
      run = runBuilderSuspending save sink (wholeSpace open) ("a" <> flush <> endless 1)
  timeout 2000 (keepAlive open run) >>= maybe (pure ()) (const (assertFailure "an end"))
  readIORef ref >>= (@?= False)

-- (Of numbers that are allocated: a loop that allocates nothing cannot be interrupted.)
endless :: Integer -> Builder
endless i = word64LE (fromInteger (List.foldl' (+) 0 [i ..]))
{-# NOINLINE endless #-}

-- The same bytes, by way of a sink that writes them again, chunk by chunk.
through :: Builder -> Builder
through b = fromWriter $ \write -> do
  open <- newOpen 100
  let sink = Sink $ \request p -> do
        pass p
        case request of
          Insert bs -> write (byteStringInsert bs)
          Flush -> write flush
          More n _ -> when (n > 100) (throwIO (userError "too much"))
        pure (wholeSpace open)
      pass p = unless (p == openFrom open) (write (byteStringCopy (S.copy (written open p))))
  keepAlive open $ do
    end <- runBuilderSuspending pass sink (wholeSpace open) b
    pass end
