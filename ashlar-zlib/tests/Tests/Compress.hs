{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Compress
-- Description : Compressing, against zlib's own functions and the program gzip
module Tests.Compress (tests) where

import Ashlar.Builder
import Ashlar.Builder.Extra (byteStringInsert)
import Ashlar.Zlib
import Control.Concurrent
  ( forkIO,
    forkIOWithUnmask,
    killThread,
    myThreadId,
    newEmptyMVar,
    putMVar,
    takeMVar,
    threadDelay,
    throwTo,
    yield,
  )
import Control.Exception
  ( AsyncException (..),
    ErrorCall (..),
    IOException,
    SomeException,
    evaluate,
    mask_,
    throwIO,
    try,
  )
import Control.Monad (forM_, replicateM_, void)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IORef (modifyIORef', newIORef, readIORef)
import System.IO (hClose, hSetBinaryMode)
import System.IO.Unsafe (unsafePerformIO)
import System.Process
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Random

tests :: TestTree
tests =
  testGroup
    "compressing"
    [ testProperty "zlib's own functions read it, from every sink" . withMaxSuccess 60 $
        \(Whole params) pieces small -> ioProperty $ do
          let model = modelOf pieces
              b = compressed params (builderOf pieces)
              size = if small then 100 else 50000
          chunks <- gathered (\consume -> toByteStringIOWith size consume b)
          strict <- evaluate (toStrictByteString b)
          pure . conjoin $
            [ theirs (paramsFormat params) out === model
              | out <- [L.fromStrict strict, toLazyByteString b, L.fromChunks chunks]
            ],
      testProperty "builder by builder" . withMaxSuccess 60 $
        \(Whole params) -> forAll (resize 8 arbitrary) $ \parts -> ioProperty $ do
          seen <- newIORef []
          flushed <- newIORef []
          withCompressor params (\bs -> modifyIORef' seen (bs :)) $ \c ->
            forM_ (parts :: [[Piece]]) $ \part -> do
              write c (builderOf part)
              flush c
              readIORef seen >>= \now -> modifyIORef' flushed (reverse now :)
          chunks <- reverse <$> readIORef seen
          prefixes <- reverse <$> readIORef flushed
          arrived <- mapM (pulled (paramsFormat params) free) prefixes
          pure . conjoin $
            (theirs (paramsFormat params) (L.fromChunks chunks) === modelOf (concat parts)) :
            property (not (any S.null chunks)) :
              [ -- All that was written before a flush is there, and no end.
                outcome === (modelOf (concat (take n parts)), Just Truncated)
                | (n, outcome) <- zip [1 ..] arrived
              ],
      testProperty "a flush in a builder" . once . ioProperty $ do
        chunks <- gathered (`toByteStringIO` compressed gzip (builderOf [Copied "brick", Flushed]))
        arrived <- pulled Gzip free (take 1 chunks)
        pure (arrived === ("brick", Just Truncated)),
      testProperty "two builders on one stream: the compressed one is a builder" . once $
        let b = compressed zlib "brick"
         in toLazyByteString ("<" <> b <> b <> ">") === "<" <> bytes b <> bytes b <> ">",
      testProperty "a compressed builder, compressed again" . withMaxSuccess 20 $ \pieces ->
        L.toStrict (theirs Zlib (theirs Gzip (compress gzip (compressed zlib (builderOf pieces)))))
          === L.toStrict (modelOf pieces),
      testProperty "lazy output is lazy" . once $
        L.length (L.take 100000 (compress gzip (foldMap intDec [1 ..]))) === 100000,
      testProperty "the program gzip reads it" . once . ioProperty $ do
        outputs <- mapM (zcat . compress gzip . mconcat . map byteString) texts
        both <- zcat (L.concat (map (compress gzip . mconcat . map byteString) texts))
        pure ((outputs, both) === (map L.fromChunks texts, L.fromChunks (concat texts))),
      exceptions
    ]
  where
    bytes = L.fromStrict . toStrictByteString
    texts = [[], ["brick"], map rowOf [1 .. 50000]]

exceptions :: TestTree
exceptions =
  testGroup
    "exceptions"
    [ testProperty "a value throws: all before it arrives, and the end is missing"
        . withMaxSuccess 40
        $ \(Whole params) pieces -> ioProperty $ do
          -- The inserted string ends what shares a reservation with the value.
          let b = builderOf pieces <> byteStringInsert "!" <> bad
              model = (modelOf pieces <> "!", Just Truncated)
              ended act = do
                seen <- newIORef []
                r <- try (act (\bs -> modifyIORef' seen (bs :)))
                out <- readIORef seen >>= pulled (paramsFormat params) free . reverse
                pure (either (\(ErrorCall e) -> e) (const "none") r === "bad" .&&. out === model)
          stepwise <- ended (\consume -> withCompressor params consume (`write` b))
          inner <- ended $ \consume -> withCompressor params consume $ \c -> do
            write c (builderOf pieces <> byteStringInsert "!")
            void (throwIO (ErrorCall "bad"))
          lazily <- ended $ \consume ->
            mapM_ consume (L.toChunks (toLazyByteString (compressed params b)))
          pure (conjoin [stepwise, inner, lazily]),
      testProperty "a broken stream stays broken" . once . ioProperty $ do
        seen <- newIORef []
        results <- newIORef []
        r <- try . withCompressor gzip (\bs -> modifyIORef' seen (bs :)) $ \c ->
          forM_ [write c bad, write c "more", flush c] $ \act -> do
            one <- try act
            modifyIORef' results (either (\(ErrorCall e) -> e) (const "none") one :)
        out <- readIORef seen >>= pulled Gzip free . reverse
        each <- readIORef results
        pure $
          conjoin
            [ each === ["bad", "bad", "bad"],
              either (\(ErrorCall e) -> e) (const "none") r === "bad",
              out === ("", Just Truncated)
            ],
      testProperty "the action throws another exception than broke the stream: that is thrown"
        . once
        . ioProperty
        $ do
          r <- try . withCompressor gzip (const (pure ())) $ \c -> do
            written <- timeout 10000 (write c (byteString hanging))
            throwIO (userError (show written))
          pure (r === (Left (userError "Nothing") :: Either IOException ())),
      testProperty "the consumer throws: it is not called again" . once . ioProperty $ do
        calls <- newIORef (0 :: Int)
        r <- try . withCompressor (gzip {paramsLevel = 0}) (failing calls) $ \c ->
          write c (byteString (S.replicate 1000000 1))
        n <- readIORef calls
        pure (either (\e -> show (e :: IOException)) show r === "user error (full)" .&&. n === 3),
      testProperty "two exceptions at once: the stream stays broken" . once . ioProperty $ do
        seen <- newIORef []
        -- Two wait for this thread, and strike as soon as it is not masked.
        let both = unsafePerformIO $ do
              me <- myThreadId
              mask_ $ do
                forM_ [1, 2 :: Int] (forkIO . throwTo me . userError . show)
                replicateM_ 1000 yield
              pure "never"
        r <- try . withCompressor gzip (\bs -> modifyIORef' seen (bs :)) $ \c -> do
          write c "before, "
          attempted (write c ("lost " <> both))
          attempted (write c "after")
        out <- readIORef seen >>= pulled Gzip free . reverse
        pure $
          either (`elem` [userError "1", userError "2"]) (const False) r
            .&&. snd out === Just Truncated,
      testProperty "an interrupted stream has no end" . once . ioProperty $ do
        seen <- newIORef []
        begun <- newEmptyMVar
        done <- newEmptyMVar
        thread <- forkIOWithUnmask $ \unmask -> do
          r <- try . unmask . withCompressor gzip (\bs -> modifyIORef' seen (bs :)) $ \c -> do
            write c "brick"
            flush c
            write c "mortar"
            putMVar begun ()
            threadDelay 60000000
          putMVar done (either wasKilled (const False) r)
        takeMVar begun
        killThread thread
        interrupted <- takeMVar done
        out <- readIORef seen >>= pulled Gzip free . reverse
        pure (interrupted .&&. out === ("brick", Just Truncated)),
      testProperty "writing after the end" . once . ioProperty $ do
        c <- withCompressor gzip (const (pure ())) pure
        r <- try (write c "late")
        pure (r === Left CompressorClosed)
    ]
  where
    failing calls _ = do
      modifyIORef' calls (+ 1)
      n <- readIORef calls
      if n == 3 then ioError (userError "full") else pure ()

attempted :: IO () -> IO ()
attempted act = try act >>= either (\e -> () <$ (pure e :: IO SomeException)) pure

wasKilled :: AsyncException -> Bool
wasKilled = (== ThreadKilled)

-- (The compiler must not see that it throws, or the bytes before it may be left out.)
bad :: Builder
bad = byteString (unsafePerformIO (throwIO (ErrorCall "bad")))
{-# NOINLINE bad #-}

-- Its value takes a minute.
hanging :: S.ByteString
hanging = unsafePerformIO ("late" <$ threadDelay 60000000)
{-# NOINLINE hanging #-}

free :: Limit
free = Limit maxBound maxBound

gathered :: ((S.ByteString -> IO ()) -> IO ()) -> IO [S.ByteString]
gathered run = do
  seen <- newIORef []
  run (\bs -> modifyIORef' seen (bs :))
  reverse <$> readIORef seen

-- Through the program.
zcat :: L.ByteString -> IO L.ByteString
zcat input = withCreateProcess command $ \i o _ process -> case (i, o) of
  (Just to, Just from) -> do
    hSetBinaryMode from True
    done <- newEmptyMVar
    _ <- forkIOWithUnmask $ \unmask -> do
      r <- try (unmask (L.hPut to input >> hClose to))
      putMVar done (either (\e -> Just (e :: SomeException)) (const Nothing) r)
    out <- S.hGetContents from
    failed <- takeMVar done
    _ <- waitForProcess process
    maybe (pure (L.fromStrict out)) throwIO failed
  _ -> error "no pipes"
  where
    command = (proc "zcat" []) {std_in = CreatePipe, std_out = CreatePipe}
