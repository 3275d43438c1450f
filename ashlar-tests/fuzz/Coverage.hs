{-# LANGUAGE CApiFFI #-}

-- |
-- Module      : Coverage
-- Description : Which parts of the library a case has reached
--
-- GHC's program coverage has a counter, a /tick/, for each expression. The files that the compiler
-- writes beside it ("Trace.Hpc.Mix") say where each expression is.
module Coverage
  ( Seen,
    startCoverage,
    newSeen,
    takeTicks,
    report,
    random,
    seedRandom,
    enterTarget,
    enterCase,
    deadlyCases,
    stillAlive,
  )
where

import Control.Monad (forM, forM_, when)
import qualified Data.ByteString as S
import qualified Data.ByteString.Unsafe as S
import Data.List (isInfixOf, isPrefixOf, sortOn)
import qualified Data.List as List
import Foreign
import Foreign.C (CString, peekCString, withCString)
import Trace.Hpc.Mix (Mix (..), readMix)
import Trace.Hpc.Util (HpcPos, fromHpcPos, insideHpcPos)

foreign import ccall unsafe "fuzz_start" cStart :: IO Word32

foreign import ccall unsafe "fuzz_modules" cModules :: IO Word32

foreign import ccall unsafe "fuzz_module" cModule :: Word32 -> IO CString

foreign import ccall unsafe "fuzz_module_ticks" cModuleTicks :: Word32 -> IO Word32

foreign import ccall unsafe "fuzz_reached" cReached :: Word32 -> Word32 -> IO Word8

foreign import ccall unsafe "fuzz_take" cTake :: Ptr Word8 -> Ptr Word64 -> IO Word32

foreign import ccall unsafe "fuzz_seed" seedRandom :: Word64 -> IO ()

-- | A random number.
foreign import ccall unsafe "fuzz_random" random :: IO Word64

foreign import ccall unsafe "fuzz_target" cTarget :: CString -> IO ()

foreign import ccall unsafe "fuzz_case" cCase :: Ptr Word8 -> Int -> IO ()

foreign import ccall unsafe "fuzz_deadly" cDeadly :: CString -> IO ()

-- | To be called every few seconds, or the program ends and says which case does not.
foreign import ccall unsafe "fuzz_alive" stillAlive :: IO ()

-- | The ticks that have been reached, and roughly how often.
newtype Seen = Seen (Ptr Word8)

-- | Begin. The number of ticks is 0 in a program without coverage.
startCoverage :: IO Int
startCoverage = fromIntegral <$> cStart

-- | None reached, given the number of ticks.
newSeen :: Int -> IO Seen
newSeen ticks = Seen <$> callocBytes (max 1 ticks)

-- | Clear the ticks: how many of them are new, and the number of steps that they count.
takeTicks :: Maybe Seen -> IO (Int, Word64)
takeTicks seen = alloca $ \cost -> do
  news <- cTake (maybe nullPtr (\(Seen p) -> p) seen) cost
  (,) (fromIntegral news) <$> peek cost

-- | The target of the cases that follow, in case one of them kills the program.
enterTarget :: String -> IO ()
enterTarget name = withCString name cTarget

-- | The case that the action runs.
enterCase :: S.ByteString -> IO a -> IO a
enterCase bs act = S.unsafeUseAsCStringLen bs $ \(p, n) -> cCase (castPtr p) n >> act

-- | The file for cases that kill the program.
deadlyCases :: FilePath -> IO ()
deadlyCases file = withCString file cDeadly

-- | Print the share of the ticks that were reached, for each part of the library, and on request
-- where the others are.
report ::
  -- | The folder of the files that say where each tick is.
  FilePath ->
  -- | Are the ticks that were not reached printed?
  Bool ->
  IO ()
report folder listed = do
  n <- cModules
  counts <- forM (takeWhile (< n) [0 ..]) $ \i -> do
    name <- cModule i >>= peekCString
    ticks <- cModuleTicks i
    missing <- filterTicks i (takeWhile (< ticks) [0 ..])
    when (listed && not (null missing) && any (`isPrefixOf` plain name) parts) $
      mapM_ (putStrLn . ((plain name ++ ":") ++)) . outermost =<< spansOf folder name missing
    pure (plain name, fromIntegral ticks - length missing, fromIntegral ticks :: Int)
  forM_ parts $ \part -> do
    let chosen = [c | c@(name, _, _) <- counts, part `isPrefixOf` name]
        (reached, all') = List.foldl' add (0, 0) chosen
    when (all' > 0) . putStrLn $
      part ++ ": " ++ show reached ++ " of " ++ show all' ++ " ticks reached, "
        ++ show (100 * reached `div` all')
        ++ " %"
  where
    add (r, a) (_, r', a') = (r + r', a + a') :: (Int, Int)
    parts = map ("Ashlar." ++) ["Internal.Get.", "Internal.Codec.", "Get.", "Internal.Compat."]
    plain = reverse . takeWhile (/= '/') . reverse
    filterTicks i = fmap concat . mapM (\t -> (\r -> [t | r == 0]) <$> cReached i t)

-- Where these ticks are.
spansOf :: FilePath -> String -> [Word32] -> IO [HpcPos]
spansOf folder name ticks = do
  Mix _ _ _ _ entries <- readMix [folder] (Left name)
  pure [pos | (i, (pos, label)) <- zip [0 ..] entries, i `elem` ticks, not (derived label)]
  where
    -- Methods of derived instances.
    derived label = "TopLevelBox" `isInfixOf` show label && "$" `isInfixOf` show label

-- Without those that lie inside of others.
outermost :: [HpcPos] -> [String]
outermost = map show . foldr keep [] . sortOn fromHpcPos
  where
    keep pos kept = pos : filter (not . (`insideHpcPos` pos)) kept
